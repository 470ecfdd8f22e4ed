/** Exporting deliveries: which, in which format, with or without secrets; then how far it is. It can be hidden and goes on meanwhile. */
import { useState } from 'react'
import type { ExportFormat } from '../../../shared/contract/nouns/exchange.ts'
import { deliveryCount } from '../../../shared/delivery-count.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, FormFoot, useFirstFocus } from '../../ui/dialog.tsx'
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
  jsonl: 'One delivery a line, with all that is kept of it. “countersign import” takes it into another data folder.',
  har: 'An HTTP archive (HAR 1.2), for the tools that read those.',
  curl: 'A script for a shell with openssl and curl. It signs each delivery anew when it is run.',
}

const leftOut: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'Values of custom headers, and secrets that are known here, are replaced by [masked].',
  har: 'Values of custom headers, and secrets that are known here, are replaced by [masked].',
  curl: 'The secret is taken from WEBHOOK_SECRET when it is run. Values of custom headers are replaced by [masked].',
}

const included: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'Whoever gets this file reads every header and body as it was received.',
  har: 'Whoever gets this file reads every header and body as it was received.',
  curl: 'Whoever gets this file can sign deliveries in the service’s name: it holds the secrets of the hooks.',
}

export function ExportDialog() {
  const { open, progress, subject, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'export' && state.exporting.subject !== null,
    progress: state.exporting.progress,
    subject: state.exporting.subject,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog open={open} onClose={closeOverlay} title="Export deliveries">
      {subject !== null && (progress === null ? <Form subject={subject} /> : <Progress subject={subject} />)}
    </Dialog>
  )
}

function Subject({ subject: { ids, query } }: { readonly subject: ExportSubject }) {
  if (ids !== null)
    return <p>{ids.length === 1 ? 'The delivery that is chosen' : `The ${deliveryCount(ids.length)} that are chosen`}</p>
  if (query === '') return <p>All deliveries, oldest first</p>
  return (
    <p className="wrap-anywhere">
      What this finds, oldest first:{' '}
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
          Cancel the export
        </Button>
        <Button kind="primary" className="h-8" onClick={closeOverlay} ref={first}>
          Hide
        </Button>
      </div>
    </div>
  )
}
