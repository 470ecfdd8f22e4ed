/** A send as it leaves this machine, or is printed: an answer may well repeat what the request proved itself with. */
import type { SendAnswer } from '../../shared/model/send.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Masking } from './masking.ts'

/** The same with what is masked in its request and its answer. */
export async function maskedSend(send: SendAnswer, masking: Masking): Promise<SendAnswer> {
  const { request, headers } = send
  const ofAnswer = masking.withValuesOf(request?.headers ?? [])
  const bodyOf = async (base64: string, its: RawHeaders, by: Masking) =>
    Buffer.from(await by.body(Buffer.from(base64, 'base64'), its)).toString('base64')
  return {
    ...send,
    error: send.error === null ? null : ofAnswer.text(send.error),
    // The endpoint's own headers are none that a hook was given: only secrets and what the request brought are looked for.
    headers: headers.map(([name, value]) => [name, ofAnswer.text(value)]),
    base64: await bodyOf(send.base64, headers, ofAnswer),
    request: request && {
      ...request,
      headers: [...masking.headers(request.headers)],
      base64: await bodyOf(request.base64, request.headers, masking),
    },
  }
}
