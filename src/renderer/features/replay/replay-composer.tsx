/** The replay composer: one delivery can be edited, several are sent as captured. */
import type { ReplaySource } from './replay-state.ts'
import { useFirstEndpoint } from './replay-target.ts'
import { utf8Text } from '../../../shared/body/encoding.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { Banner } from '../../ui/message.tsx'
import { fromBase64 } from '../../core-data/bytes.ts'
import { useRead } from '../../core-data/use-read.ts'
import { NewRequestForm } from './new-request-form.tsx'
import { ComposerForm } from './composer-form.tsx'
import { SeveralForm } from './several-form.tsx'
import { LONGEST_EDITED, newDraft } from './draft.ts'

export function Composer({
  source,
  onDone,
}: {
  readonly source: ReplaySource
  readonly onDone: () => void
}) {
  const first = useFirstEndpoint(source)
  const only = source.kind === 'rows' && source.rows.length === 1 ? source.rows[0] : undefined
  if (first === null) return null
  if (source.kind === 'new') return <NewRequestForm source={source} first={first} onDone={onDone} />
  return only === undefined ? (
    <SeveralForm source={source} initialDraft={newDraft(null, first)} onDone={onDone} />
  ) : (
    <SingleDelivery row={only} source={source} first={first} onDone={onDone} />
  )
}

function SingleDelivery({
  row,
  source,
  first,
  onDone,
}: {
  readonly row: DeliveryRow
  readonly source: ReplaySource
  readonly first: string
  readonly onDone: () => void
}) {
  const { output: delivery, problem } = useRead('deliveries.get', { id: row.id })
  const hasText = !row.truncated && row.bodySize <= LONGEST_EDITED
  const body = useRead(
    'deliveries.body',
    hasText ? { id: row.id, offset: 0, length: LONGEST_EDITED } : null,
  )
  const loadProblem = problem ?? body.problem
  if (loadProblem !== null)
    return (
      <Banner tone="bad" title="Couldn't load the delivery.">
        {loadProblem}
      </Banner>
    )
  if (delivery === undefined || (hasText && body.output === undefined))
    return <div role="status" aria-label="Loading delivery" className="late m-5 skeleton h-40" />
  const text = body.output === undefined ? null : utf8Text(fromBase64(body.output.base64), false)
  const original = { method: delivery.method ?? 'POST', headers: delivery.headers, text }
  return (
    <ComposerForm
      source={source}
      captured={{ delivery, original }}
      initialDraft={newDraft(original, first)}
      onDone={onDone}
    />
  )
}
