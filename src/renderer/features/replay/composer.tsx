/**
 * The replay composer: request, target, signature and pace. One delivery can be edited; several are sent as captured. The composer
 * stays open after sending, to change and send again.
 */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { useApp } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ComposerForm } from './composer-form.tsx'
import { newDraft } from './draft.ts'
import type { ReplaySource } from './replay-slice.ts'
import { useCaptured } from './use-captured.ts'
import { useTargets, type Targets } from './target-field.tsx'

export function Composer({ source, onDone }: { readonly source: ReplaySource; readonly onDone: () => void }) {
  const targets = useTargets()
  const handlers = useApp((state) => state.core.handlers)
  const only = source.kind === 'rows' && source.rows.length === 1 ? source.rows[0] : undefined
  if (targets === null) return null
  return only === undefined ? (
    <ComposerForm
      source={source}
      captured={null}
      begun={newDraft(null, firstTarget(source, targets, handlers))}
      onDone={onDone}
    />
  ) : (
    <OneDelivery row={only} source={source} targets={targets} onDone={onDone} />
  )
}

interface OneDeliveryProps {
  readonly row: DeliveryRow
  readonly source: ReplaySource
  readonly targets: Targets
  readonly onDone: () => void
}

function OneDelivery({ row, source, targets, onDone }: OneDeliveryProps) {
  const read = useCaptured(row.id)
  const handlers = useApp((state) => state.core.handlers)
  if (read.state === 'reading') return <div role="status" aria-label="Loading delivery" className="late m-5 skeleton h-40" />
  if (read.state === 'failed')
    return (
      <Banner tone="bad" title="Couldn't load the delivery.">
        {read.problem.message}
      </Banner>
    )
  const given = source.kind === 'rows' ? source.begun : undefined
  const begun = { ...newDraft(read.original, firstTarget(source, targets, handlers)), ...given }
  return <ComposerForm source={source} captured={read} begun={begun} onDone={onDone} />
}

/** The current handler, otherwise the last target used for this hook or at all. */
function firstTarget(source: ReplaySource, { byHook, recent }: Targets, handlers: readonly SavedHandler[]): string {
  const current = handlers.find((one) => one.current)
  if (current !== undefined) return handlerRef(current)
  const hookId = source.kind === 'rows' ? (source.rows[0]?.hookId ?? '') : null
  const last = hookId === null ? undefined : byHook[hookId]
  return last === undefined ? (recent[0] ?? '') : (last ?? '')
}
