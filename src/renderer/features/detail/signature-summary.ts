/** The summary of a delivery's signature: verdict and cause. */
import { prefixEffect, prefixSentence, trailerSentence } from '../../../shared/model/signature.ts'
import { counted } from '../../../shared/text/english.ts'
import { duration, roundedDuration } from '../../ui/moment.ts'
import { verdictStatus } from '../../ui/verdict.tsx'
import { missingHeaders } from './fact-sentences.ts'
import {
  type DeliverySummary,
  type SummaryInput,
  quietSummary,
  failedSummary,
  splitSentence,
} from './delivery-summary.ts'

export function signatureProblem(input: SummaryInput): DeliverySummary | null {
  return (
    malformedSummary(input) ??
    claimSummary(input) ??
    unsigned(input) ??
    invalidSummary(input) ??
    unknownHook(input) ??
    wrongTime(input)
  )
}

/** Returns the verdict with its cause, whatever else is wrong with the delivery. */
export function signatureSummary(input: SummaryInput): DeliverySummary {
  const { delivery } = input
  const problem = signatureProblem(input)
  if (problem !== null) return problem
  if (!delivery.verifiedHere) return claim(input)
  const { sentence, tone } = verdictStatus(delivery)
  return {
    ...quietSummary('valid', tone),
    headline: sentence,
    cause: validCause(input),
    action: 'show-signature',
  }
}

function malformedSummary({
  delivery: { malformed: malformedRequest, firstBytes },
}: SummaryInput): DeliverySummary | null {
  if (malformedRequest === null) return null
  const [reason, rest] = splitSentence(malformedRequest.reason)
  const bytes = spaced(firstBytes ?? '')
  const received = bytes === '' ? '' : `Received \`${bytes}\``
  const cause = [rest, received === '' ? '' : `${received} first.`, rest === '' ? NOT_READ : '']
  return {
    ...failedSummary('malformed'),
    headline: reason,
    cause: cause.filter((part) => part !== '').join(' '),
    action: /https:\/\//.test(rest)
      ? 'copy-https-url'
      : /ca\.pem/.test(rest)
        ? 'copy-ca-path'
        : 'show-bytes',
  }
}

const NOT_READ = "Countersign couldn't read a request, so nothing was verified."

function spaced(hex: string): string {
  return hex.replaceAll(/\s/g, '').replaceAll(/(..)(?=.)/g, '$1 ')
}

/**
 * Returns the summary of a verdict claimed by a file; null if the claim is 'valid', so that
 * problems found here show.
 */
function claimSummary(input: SummaryInput): DeliverySummary | null {
  const { verdict, verifiedHere } = input.delivery
  return verifiedHere || verdict === 'valid' ? null : claim(input)
}

function claim({ delivery, signature, hook }: SummaryInput): DeliverySummary {
  const claimOnly = {
    ...quietSummary('claimed', 'quiet'),
    headline: verdictStatus(delivery).sentence,
  }
  if (signature !== null && (signature.received === null || signature.timestamp === null))
    return {
      ...claimOnly,
      cause: `${missingHeaders(signature)}, so nothing can be verified here.`,
      action: 'show-headers',
    }
  if (delivery.truncated)
    return {
      ...claimOnly,
      cause: 'Not verified here: only the start of the body was kept.',
      action: 'show-signature',
    }
  // Valid according to the file: signed for a hook that isn't stored here.
  if (hook === undefined || delivery.verdict === 'valid')
    return {
      ...claimOnly,
      cause: 'Not verified here: no hook has its URL and secret. Import the hook to verify it.',
      action: 'import-hook',
    }
  const likely =
    signature?.diagnosis == null
      ? ''
      : ` Likely cause: ${splitSentence(signature.diagnosis.message)[0]}.`
  const cause =
    signature?.expected == null
      ? `Not verified here: the ${hook.event} hook's secret isn't stored here.`
      : `The signature doesn't match the ${hook.event} hook's secret here either.${likely}`
  return { ...claimOnly, cause, action: 'show-signature' }
}

function unsigned({
  delivery: { verdict },
  signature,
  signatureHeader,
}: SummaryInput): DeliverySummary | null {
  if (verdict !== 'unsigned') return null
  const unknown = signature?.unknownPrefix ?? null
  if (unknown !== null)
    return {
      ...quietSummary('unsigned', 'quiet'),
      headline: prefixSentence(unknown).replace(/\.$/, ''),
      cause: `If \`${unknown.prefix}\` is your account's, use it in \`${unknown.environment}\`. ${prefixEffect(unknown.prefix, 'then')} Stored deliveries are judged again.`,
      action: 'use-prefix',
    }
  const headline = missingHeaders(signature ?? { received: null, timestamp: null })
  const timestampHeader = signatureHeader.replace(/signature$/, 'timestamp')
  const missing =
    headline === 'No signature header'
      ? `\`${signatureHeader}\` is`
      : headline === 'No timestamp header'
        ? `\`${timestampHeader}\` is`
        : `\`${signatureHeader}\` and \`${timestampHeader}\` are`
  return {
    ...quietSummary('unsigned', 'quiet'),
    headline,
    cause:
      trailerSentence(signature?.inTrailer ?? []) ??
      `${missing} missing, so nothing can be verified. Check the sender's signing step.`,
    action: 'send-sample',
  }
}

/** Returns headline and cause of an invalid signature that no known mistake explains. */
function unexplained({ delivery, signature, hook }: SummaryInput): readonly [string, string] {
  const noMatch = `Signature doesn't match the ${hook === undefined ? '' : `${hook.event} `}hook's secret`
  if (delivery.truncated) return [noMatch, 'Cause unknown: only the start of the body was kept.']
  if (signature?.expected === null) return ['No secret to verify with', "Add the hook's secret."]
  return [
    noMatch,
    'No known mistake explains the difference. Check whether the body changed on the way or the sender uses another secret.',
  ]
}

function invalidSummary(input: SummaryInput): DeliverySummary | null {
  const { delivery, signature, hook } = input
  if (delivery.verdict !== 'invalid') return null
  const diagnosis = signature?.diagnosis ?? null
  if (diagnosis === null) {
    const [headline, cause] = unexplained(input)
    return { ...failedSummary('invalid'), headline, cause, action: 'try-secret' }
  }
  const { signedUrl } = diagnosis
  const [headline, rest] = splitSentence(diagnosis.message.replace(` (${signedUrl})`, ''))
  const registered = signature?.url ?? null
  const isOther = signedUrl !== null && registered !== null
  // Only a complete URL can be registered; a sender that signs a part of it has to change.
  const canRegister = isOther && /^https?:\/\/./i.test(signedUrl) && URL.canParse(signedUrl)
  return {
    ...failedSummary('invalid'),
    headline,
    cause: rest === '' ? diagnosis.fix : `${rest} ${diagnosis.fix}`,
    urls: isOther ? { signed: signedUrl, registered } : null,
    action: canRegister ? (isChangeable(hook) ? 'edit-hook-url' : 'import-hook') : 'show-code',
  }
}

/** Whether the hook's URL can be changed at the service. */
function isChangeable(hook: SummaryInput['hook']): boolean {
  return (
    hook !== undefined &&
    hook.remoteId !== null &&
    hook.status !== 'deleted' &&
    hook.status !== 'gone'
  )
}

function unknownHook({
  delivery: { verdict, method, path },
}: SummaryInput): DeliverySummary | null {
  if (verdict !== 'unknown-hook') return null
  return {
    ...quietSummary('unknown-hook', 'quiet'),
    headline: 'No hook for this path',
    cause: `\`${`${method ?? ''} ${path ?? ''}`.trim()}\` matches no hook's path, and the signature matches no known secret.`,
    action: 'import-hook',
  }
}

/** Returns a duration such as `10 minutes`, `3 hours`, `12 days`. */
function roughWords(ms: number): string {
  const { count, unit } = roundedDuration(ms)
  return counted(count, unit)
}

function wrongTime({
  delivery: { freshness, verifiedHere },
  signature,
}: SummaryInput): DeliverySummary | null {
  // Both times of an unverified import are the file's claims.
  if (!verifiedHere) return null
  const wrongUnitDiagnosis = signature?.diagnosis ?? null
  const status = (kind: 'stale' | 'future') =>
    ({ kind, tone: 'warn', wash: 'warn', urls: null }) as const
  if (wrongUnitDiagnosis !== null && freshness !== 'fresh')
    return {
      ...status(freshness === 'future' ? 'future' : 'stale'),
      headline: splitSentence(wrongUnitDiagnosis.message)[0].replace(/;.*/s, ''),
      cause: `Valid signature. ${wrongUnitDiagnosis.fix}`,
      action: 'show-headers',
    }
  const age = signature?.ageMs ?? null
  if (freshness === 'stale')
    return {
      ...status('stale'),
      headline: age === null ? 'Stale' : `Signed ${roughWords(age)} before receipt`,
      cause:
        'Valid signature, older than 5 minutes. Handlers with replay protection reject old deliveries.',
      action: 'replay-re-signed',
    }
  if (freshness === 'future')
    return {
      ...status('future'),
      headline: age === null ? 'Signed in the future' : `Signed ${roughWords(age)} in the future`,
      cause: "Valid signature, more than 5 minutes ahead. Check the sender's clock.",
      action: 'show-headers',
    }
  return null
}

function validCause({ delivery: { schema }, signature, hook }: SummaryInput): string {
  const age = signature?.ageMs ?? null
  const secret = hook === undefined ? 'a known secret' : `the ${hook.event} hook's secret`
  const when =
    age === null
      ? ''
      : Math.round(age) === 0
        ? ' at receipt'
        : `, ${duration(age)} ${age < 0 ? 'ahead of' : 'before'} receipt`
  return `Signed with ${secret}${when}.${schema === 'ok' ? ' No schema errors.' : ''}`
}
