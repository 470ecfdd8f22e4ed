/** A send as it leaves this machine, or is printed: an answer may well repeat what the request proved itself with. */
import type { SendAnswer } from '../../shared/model/send.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Masking } from './masking.ts'

/** The same with what is masked in its request and its answer. */
export async function maskedSend(send: SendAnswer, masking: Masking): Promise<SendAnswer> {
  const bodyOf = async (base64: string, headers: RawHeaders) =>
    Buffer.from(await masking.body(Buffer.from(base64, 'base64'), headers)).toString('base64')
  const { request, headers } = send
  return {
    ...send,
    error: send.error === null ? null : masking.text(send.error),
    // The endpoint's own headers are none that a hook was given: only secrets are looked for.
    headers: headers.map(([name, value]) => [name, masking.text(value)]),
    base64: await bodyOf(send.base64, headers),
    request: request && {
      ...request,
      headers: [...masking.headers(request.headers)],
      base64: await bodyOf(request.base64, request.headers),
    },
  }
}
