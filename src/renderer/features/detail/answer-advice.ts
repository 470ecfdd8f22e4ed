/** What an answer that does not acknowledge usually means, and what to look at. The sentences of failed connections come from the core. */
import { isForged, isRejected, type Send } from '../../../shared/model/send.ts'

/** A sentence; null where nothing is to be done about it. */
export function answerAdvice(send: Send): string | null {
  const { status, outcome, error, tamper, validPassed } = send
  if (outcome === 'recorded')
    return 'Only Countersign responded, not your handler. Replay this delivery to your handler\u2019s URL.'
  const fails = outcome === 'first-fail' || outcome === 'still-failing' || outcome === 'regressed'
  if (error !== null || status === null || outcome === null) return null
  if (!fails) {
    if (tamper !== null) return 'Your handler accepted a forged delivery. Check how it verifies the signature and timestamp.'
    return isForged(send)
      ? 'Accepted without a fresh signature. That is correct only if the signature still matches and the timestamp is fresh.'
      : null
  }
  if (isRejected(send)) {
    if (validPassed === null)
      return 'Rejected. Replay the valid delivery to the same URL too: an endpoint that rejects both proves nothing.'
    return validPassed
      ? 'Rejected, as expected for a forged delivery.'
      : 'Inconclusive: your handler does not accept the valid delivery either.'
  }
  if (status >= 200 && status < 300)
    return 'Only 200 acknowledges, unless the environment says otherwise: the service would try again.'
  if (status >= 300 && status < 400)
    return 'A redirect is not followed, by the service neither. Register the address that it leads to.'
  if (status === 401 || status === 403)
    return 'The endpoint does not take it for genuine. Compare the secret and the registered URL that it verifies with.'
  if (status === 404 || status === 405)
    return 'The endpoint does not know this path or method. Compare the target with its routes.'
  if (status === 413) return 'The body is larger than the endpoint takes.'
  if (status >= 500) return 'The handler failed. Its log says why; send it again when it is mended.'
  return 'The endpoint refused it. Its answer may say why.'
}
