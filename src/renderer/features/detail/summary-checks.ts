/** The checks that a summary's headline doesn't mention. */
import type { SignatureReport } from '../../../shared/model/signature.ts'
import type { VerdictTone } from '../../ui/verdict.tsx'
import { freshnessSentence, schemaSentence } from './fact-sentences.ts'
import {
  type SummaryKind,
  type DeliverySummary,
  type SummaryInput,
  splitSentence,
} from './delivery-summary.ts'
import { isUnknownEvent } from './summary.ts'

export interface ShownCheck {
  readonly tone: VerdictTone
  readonly text: string
}

/** Returns the checks that the headline doesn't mention: passed, failed or claimed by a file. */
export function checksOf(
  { kind }: Pick<DeliverySummary, 'kind'>,
  delivery: SummaryInput['delivery'],
  signature: (SummaryInput['signature'] & Partial<Pick<SignatureReport, 'freshness'>>) | null,
  errors: number | null,
): readonly ShownCheck[] {
  const { verdict, malformed: malformedRequest, verifiedHere, freshness, origin, schema } = delivery
  if (malformedRequest !== null) return []
  const checks: ShownCheck[] = []
  const isHeadline = (...kinds: readonly SummaryKind[]) => kinds.includes(kind)
  if (verdict === 'valid' && !isHeadline('valid', 'claimed'))
    checks.push(
      origin === 'shared'
        ? { tone: 'quiet', text: 'Signature valid: shared, re-signed' }
        : verifiedHere
          ? { tone: 'ok', text: 'Signature valid' }
          : { tone: 'quiet', text: 'Signature valid according to the file' },
    )
  if (verdict !== 'unsigned' && freshness !== 'missing' && !isHeadline('stale', 'future'))
    checks.push({
      tone: origin !== 'received' ? 'quiet' : freshness === 'fresh' ? 'ok' : 'warn',
      text: splitSentence(freshnessSentence({ freshness, ...signature }, origin))[0].replace(
        /, (?:with|out)(?:in|side) the [^]*$/,
        '',
      ),
    })
  if (!isHeadline('schema-errors') && !(isUnknownEvent(delivery) && isHeadline('unknown-event')))
    checks.push({
      tone: schema === 'ok' ? 'ok' : schema === 'unknown' ? 'quiet' : 'bad',
      text: schema === 'not-json' ? "Body isn't JSON" : schemaSentence(delivery, errors),
    })
  return checks
}
