/** Advice about the response to a replay. */
import { isAccepted, isRejected } from '../../shared/model/send-outcomes.ts'
import type { Send } from '../../shared/model/send.ts'

/** Returns a sentence of advice about a send; null if there is nothing to do. */
export function answerAdvice(send: Send): string | null {
  const { status, outcome, error, expected, validPassed } = send
  if (outcome === 'recorded')
    return "Countersign responded, not your handler. Replay this delivery to your handler's URL."
  if (error !== null || status === null || outcome === null) return null
  if (isAccepted(send))
    return expected === 'either'
      ? 'Accepted without a fresh signature. Correct only if the signature still matches and the timestamp is fresh.'
      : 'Your handler accepted a forged delivery. Check how it verifies the signature and timestamp.'
  if (isRejected(send)) {
    if (validPassed === null)
      return 'Rejected. Replay the valid delivery to the same URL too: an endpoint that rejects both proves nothing.'
    return validPassed
      ? 'Rejected, as expected for a forged delivery.'
      : "Inconclusive: your handler doesn't accept the valid delivery either."
  }
  if (outcome === 'passed' || outcome === 'still-passing' || outcome === 'fixed') return null
  if (status >= 200 && status < 300)
    return 'The service would retry: only 200 acknowledges, unless the environment accepts any 2xx.'
  if (status >= 300 && status < 400)
    return 'Neither Countersign nor the service follows redirects. Register the URL it redirects to.'
  if (status === 401 || status === 403)
    return 'Your endpoint rejected the signature. Check its secret and registered URL.'
  if (status === 404 || status === 405)
    return "Your endpoint doesn't know this path or method. Check the URL against its routes."
  if (status === 413) return 'The body is larger than your endpoint allows.'
  if (status >= 500) return 'Your handler failed. Check its log, fix it, then replay.'
  return 'Your endpoint rejected the request. Its response may say why.'
}
