/** Deliveries and sends, masked for export or display. */
import type { Delivery, OwnResponse } from '../../shared/model/delivery.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import type { SendAnswer } from '../../shared/model/send.ts'
import { type Masking, withoutMasking } from './masking.ts'

/** Returns masking that also hides the delivery's own header values. */
export function maskingFor(
  { headers, trailers }: Pick<Delivery, 'headers' | 'trailers'>,
  masking: Masking,
): Masking {
  return masking.withValuesOf([...headers, ...trailers])
}

function maskedResponse(response: OwnResponse, own: Masking): OwnResponse {
  const { headers, body, truncated } = response
  const text = Buffer.from(body, 'base64').toString('latin1')
  const shown = own.text(text, undefined, truncated)
  return {
    ...response,
    headers: own.responseHeaders(headers),
    body: Buffer.from(shown, 'latin1').toString('base64'),
  }
}

export function maskedDelivery(delivery: Delivery, masking: Masking): Delivery {
  if (masking === withoutMasking) return delivery
  const own = maskingFor(delivery, masking)
  const { headers, trailers, firstBytes, response } = delivery
  return {
    ...own.texts({ ...delivery, headers: [], trailers: [], response: null }),
    headers: [...own.headers(headers)],
    trailers: [...own.headers(trailers)],
    // Three bytes show a TLS handshake.
    firstBytes: firstBytes?.slice(0, 2 * 3) ?? null,
    response: response && maskedResponse(response, own),
  }
}

/** Masks a send; its response may repeat credentials. */
export async function maskedSend(send: SendAnswer, masking: Masking): Promise<SendAnswer> {
  const { request, headers, truncated } = send
  const answerMasking = masking.withValuesOf(request?.headers ?? [])
  const bodyOf = async (
    message: Pick<SendAnswer, 'headers' | 'base64'>,
    by: Masking,
    isCut: boolean,
    most?: number,
  ) => {
    const bytes = Buffer.from(message.base64, 'base64')
    return Buffer.from(await by.body(bytes, message.headers, isCut, most)).toString('base64')
  }
  return {
    ...answerMasking.texts({ ...send, headers: [], request: null }),
    headers: answerMasking.responseHeaders(headers),
    base64: await bodyOf(send, answerMasking, truncated),
    request: request && {
      ...masking.texts({ ...request, headers: [] }),
      headers: [...masking.headers(request.headers)],
      base64: await bodyOf(request, masking, false, KEPT_RESPONSE_BYTES),
    },
  }
}
