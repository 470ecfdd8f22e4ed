/** Concludes from responses whether a rejected delivery's signature was accepted. */
import type { CheckExchange, CheckFinding } from '../../shared/model/check.ts'
import { isRefusal } from './judge.ts'
import { SIGNATURE_ACCEPTED, ALL_ALIKE } from './first-conclusions.ts'
import { exchangeStatus, quotedResponse } from './response-words.ts'

const fixByStatus: Readonly<Record<number, string>> = {
  403: 'Something after the check denies the request, such as your own permissions.',
  404: "Your handler looks up a record that doesn't exist, such as the card. Return 200 for unknown ones too, or the service retries. To check with a known card, add --set card.id=…",
}

/** Describes a delivery that was rejected although its signature was accepted. */
function acceptedSignatureFinding(control: CheckExchange): CheckFinding {
  const status = exchangeStatus(control)
  return {
    cause: SIGNATURE_ACCEPTED,
    what: `Your signature check accepts this. After it, your handler returns ${status}${quotedResponse(control)}.`,
    fix:
      fixByStatus[status] ??
      (status < 500
        ? 'It rejects the payload. Compare the fields that it requires with this delivery (spec 2).'
        : "Check your handler's log for this delivery. It probably reads a field that is null or absent, or can't reach its database."),
  }
}

/** Describes an endpoint that responds alike to every request, even an unsigned one. */
function alikeFinding(control: CheckExchange): CheckFinding {
  const status = exchangeStatus(control)
  return {
    cause: ALL_ALIKE,
    what: `Your endpoint returns ${status} to every request, unsigned ones too${quotedResponse(control)}.`,
    fix:
      status === 404 || status === 405
        ? 'No route of your app responds to this. Check the path and the method POST.'
        : status >= 500
          ? "It fails before it reads the signature. Check your handler's log."
          : 'Something in front of your handler may respond: CSRF protection, a login or a proxy. Exempt this path from it. Otherwise, compare the secret and the registered URL.',
  }
}

/**
 * Compares responses to a valid delivery, wrongly signed and unsigned ones. Resolves with null if
 * they prove nothing.
 */
export async function signatureEvidence(
  valid: CheckExchange,
  wrong: readonly CheckExchange[],
  askUnsigned: () => Promise<CheckExchange | null>,
): Promise<CheckFinding | null> {
  const differing = wrong.filter((exchange) => exchangeStatus(exchange) !== exchangeStatus(valid))
  if (differing.length > wrong.length / 2 && differing.every(({ got }) => isRefusal(got.status)))
    return acceptedSignatureFinding(valid)
  if (differing.length > 0 || exchangeStatus(valid) === 401) return null
  const unsigned = await askUnsigned()
  return unsigned !== null && exchangeStatus(unsigned) === exchangeStatus(valid)
    ? alikeFinding(valid)
    : null
}
