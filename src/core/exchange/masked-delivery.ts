/** A delivery as it leaves this machine or is printed: no known secrets, and no values of custom headers. What is stored stays as it is. */
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Masking } from './masking.ts'

/** The masking that also hides this delivery's own header values wherever they are repeated. */
export function maskingFor({ headers, trailers }: Pick<Delivery, 'headers' | 'trailers'>, masking: Masking): Masking {
  return masking.withValuesOf([...headers, ...trailers])
}

/** The same without its body, which is masked by itself. */
export function maskedDelivery(delivery: Delivery, masking: Masking): Delivery {
  const own = maskingFor(delivery, masking)
  const { headers, trailers, path, note, malformed } = delivery
  return {
    ...delivery,
    headers: [...own.headers(headers)],
    trailers: [...own.headers(trailers)],
    path: path === null ? null : own.text(path),
    note: note === null ? null : own.text(note),
    malformed: malformed === null ? null : { reason: own.text(malformed.reason) },
  }
}
