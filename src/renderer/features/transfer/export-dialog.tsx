/** Exports deliveries: selection, format, secrets and progress. Continues while hidden. */
import { useState } from 'react'
import type { ExportFormat } from '../../../shared/contract/nouns/exchange.ts'
import { deliveryCount } from '../../../shared/text/counted.ts'
import { useRead } from '../../data/use-read.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { FormFoot, useFirstFocus } from '../../ui/dialog.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { CheckField } from '../../ui/field.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { ExportSubject } from './transfer-slice.ts'

const formats = [
  { value: 'jsonl', label: 'JSON Lines' },
  { value: 'har', label: 'HAR' },
  { value: 'curl', label: 'cURL' },
] as const

const meanings: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'One delivery per line, complete. Import it elsewhere with "countersign import".',
  har: 'HTTP archive (HAR 1.2) for tools that support it.',
  curl: 'A shell script that needs openssl and curl. Re-signs each delivery when run.',
}

const leftOut: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'Values of custom headers and known secrets are replaced by [masked].',
  har: 'Values of custom headers and known secrets are replaced by [masked].',
  curl: 'Takes the secret from WEBHOOK_SECRET when run. Values of custom headers are replaced by [masked].',
}

const included: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'Anyone with this file can read every header and body as received.',
  har: 'Anyone with this file can read every header and body as received.',
  curl: 'Contains hook secrets. Anyone with this file can sign as the service.',
}

export function ExportDialog() {
  const { progress, subject } = useParts('exporting', 'progress', 'subject')
  return (
    <OverlayDialog overlay="export" ready={subject !== null} title="Export deliveries">
      {() =>
        subject !== null &&
        (progress === null ? <Form subject={subject} /> : <Progress subject={subject} />)
      }
    </OverlayDialog>
  )
}

function Subject({ subject: { ids, query } }: { readonly subject: ExportSubject }) {
  const { output } = useRead('deliveries.counts', { queries: ['is:flow'], most: 1 })
  const hasFlowRuns = (output?.counts[0]?.count ?? 0) > 0
  if (ids !== null)
    return (
      <p>
        {ids.length === 1 ? 'The selected delivery' : `The ${deliveryCount(ids.length)} selected`}
      </p>
    )
  if (query === '')
    return (
      <p>All deliveries{hasFlowRuns ? ' except those of flow runs (is:flow)' : ''}, oldest first</p>
    )
  return (
    <p className="wrap-anywhere">
      Matching deliveries, oldest first:{' '}
      <span className="data">
        <ExactText text={query} />
      </span>
    </p>
  )
}

function Form({ subject }: { readonly subject: ExportSubject }) {
  const { problem, start } = useParts('exporting', 'problem', 'start')
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  const [format, setFormat] = useState<ExportFormat>('jsonl')
  const [secrets, setSecrets] = useState(false)
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void start(format, secrets)
      }}
    >
      <Subject subject={subject} />
      <div>
        <Segments label="Format" options={formats} value={format} onChange={setFormat} />
        <p className="mt-1.5 text-small text-muted">{meanings[format]}</p>
      </div>
      <div>
        <CheckField checked={secrets} onChange={setSecrets}>
          Include secrets
        </CheckField>
        <p className={`mt-1 text-small ${secrets ? 'text-warn' : 'text-muted'}`} aria-live="polite">
          {secrets ? included[format] : leftOut[format]}
        </p>
      </div>
      {problem !== null && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
      <FormFoot onCancel={closeOverlay} action="Export" busyWords="Exporting…" busy={false} />
    </form>
  )
}

function Progress({ subject }: { readonly subject: ExportSubject }) {
  const { progress, cancel } = useParts('exporting', 'progress', 'cancel')
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  const first = useFirstFocus<HTMLButtonElement>()
  const { done, total } = progress ?? { done: 0, total: 0 }
  return (
    <div className="flex flex-col gap-3">
      <Subject subject={subject} />
      <ProgressBar label="Exported" value={done} max={total} />
      <p className="text-small text-muted tabular-nums">
        {total === 0 ? 'Counting…' : `${done.toLocaleString('en')} of ${deliveryCount(total)}`}
      </p>
      <div className="mt-1 flex justify-end gap-2">
        <Button className="h-8" onClick={cancel}>
          Cancel export
        </Button>
        <Button kind="primary" className="h-8" onClick={closeOverlay} ref={first}>
          Hide
        </Button>
      </div>
    </div>
  )
}
