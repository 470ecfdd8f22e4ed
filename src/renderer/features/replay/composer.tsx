/**
 * The replay composer: request, target, signature and pace. One delivery can be edited; several are sent as captured. The composer
 * stays open after sending, to change and send again.
 */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { Banner } from '../../ui/banner.tsx'
import { ComposerForm } from './composer-form.tsx'
import { newDraft } from './draft.ts'
import type { ReplaySource } from './replay-slice.ts'
import { useCaptured } from './use-captured.ts'
import { useFirstEndpoint } from './target-field.tsx'

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
  return only === undefined ? (
    <ComposerForm source={source} captured={null} begun={newDraft(null, first)} onDone={onDone} />
  ) : (
    <OneDelivery row={only} source={source} first={first} onDone={onDone} />
  )
}

interface OneDeliveryProps {
  readonly row: DeliveryRow
  readonly source: ReplaySource
  readonly first: string
  readonly onDone: () => void
}

function OneDelivery({ row, source, first, onDone }: OneDeliveryProps) {
  const read = useCaptured(row.id)
  if (read.state === 'reading')
    return <div role="status" aria-label="Loading delivery" className="late m-5 skeleton h-40" />
  if (read.state === 'failed')
    return (
      <Banner tone="bad" title="Couldn't load the delivery.">
        {read.problem.message}
      </Banner>
    )
  return (
    <ComposerForm
      source={source}
      captured={read}
      begun={newDraft(read.original, first)}
      onDone={onDone}
    />
  )
}
