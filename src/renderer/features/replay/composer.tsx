/**
 * The replay composer: request, target, signature and pace. One delivery can be edited; several are sent as captured. The composer
 * stays open after sending, to change and send again.
 */
import { useEffect, useState } from 'react'
import { utf8Text } from '../../../shared/body/encoding.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { useApp } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import type { CallProblem } from '../../ui/call-problem.ts'
import { ComposerForm } from './composer-form.tsx'
import { newDraft, type Captured } from './draft.ts'
import type { ReplaySource } from './replay-slice.ts'
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

type ReadCaptured =
  | { readonly state: 'reading' }
  | { readonly state: 'failed'; readonly problem: CallProblem }
  | ({ readonly state: 'read' } & Captured)

/** Loads a captured request for editing. The body is text only if editing loses nothing. */
function useCaptured(id: string): ReadCaptured {
  const readDelivery = useApp((state) => state.replay.readCaptured)
  const [read, setRead] = useState<ReadCaptured>({ state: 'reading' })
  useEffect(() => {
    let wanted = true
    void readDelivery(id).then((outcome) => {
      if (!wanted) return
      if (!outcome.ok) {
        setRead({ state: 'failed', problem: outcome.problem })
        return
      }
      const { delivery, body } = outcome.value
      const text = body === null ? null : utf8Text(body, false)
      // Text fields normalize line breaks, so bodies with others can't be edited.
      const editable = text === null || text.includes('\r') || text.includes('\0') ? null : text
      setRead({
        state: 'read',
        delivery,
        original: { method: delivery.method ?? 'POST', headers: delivery.headers, text: editable },
      })
    })
    return () => {
      wanted = false
    }
  }, [readDelivery, id])
  return read
}
