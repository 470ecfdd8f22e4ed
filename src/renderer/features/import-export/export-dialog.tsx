import { useState } from 'react'
import { deliveryCount } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { CheckField } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { ExportSubject, WindowFormat } from './export-slice.ts'
import { TransferProgress, formatCount } from './transfer-progress.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'

const formats = [
  { value: 'jsonl', label: 'JSON Lines' },
  { value: 'har', label: 'HAR' },
  { value: 'csv', label: 'CSV' },
  { value: 'curl', label: 'cURL' },
] as const

const meanings: Readonly<Record<WindowFormat, string>> = {
  jsonl: 'One delivery per line, complete. Import it elsewhere with "countersign import".',
  har: 'HTTP archive (HAR 1.2) for tools that support it.',
  csv: 'A line per delivery for spreadsheets, with the body columns of the list.',
  curl: 'A shell script that needs openssl and curl. Re-signs each delivery when run.',
}

const secretsMasked: Readonly<Record<WindowFormat, string>> = {
  jsonl: 'Values of custom headers and known secrets are replaced by [masked].',
  har: 'Values of custom headers and known secrets are replaced by [masked].',
  csv: 'Known secrets are replaced by [masked].',
  curl: 'Takes the secret from WEBHOOK_SECRET when run. Values of custom headers are replaced by [masked].',
}

const secretsIncluded: Readonly<Record<WindowFormat, string>> = {
  jsonl: 'Anyone with this file can read every header and body as received.',
  har: 'Anyone with this file can read every header and body as received.',
  csv: 'Anyone with this file can read the values as received.',
  curl: 'Contains hook secrets. Anyone with this file can sign as the service.',
}

export function ExportDialog() {
  const { progress, subject, cancel } = useParts('exporting', 'progress', 'subject', 'cancel')
  return (
    <OverlayDialog overlay="export" ready={subject !== null} title="Export deliveries">
      {() =>
        subject !== null &&
        (progress === null ? (
          <ExportForm subject={subject} />
        ) : (
          <div className="flex flex-col gap-3">
            <Subject subject={subject} />
            <TransferProgress
              label="Exported"
              value={progress.done}
              max={progress.total}
              cancel="Cancel export"
              onCancel={cancel}
            >
              {progress.total === 0
                ? 'Counting…'
                : `${formatCount(progress.done)} of ${deliveryCount(progress.total)}`}
            </TransferProgress>
          </div>
        ))
      }
    </OverlayDialog>
  )
}

/** Tells which deliveries are meant. */
export function Subject({ subject: { seqs, query } }: { readonly subject: ExportSubject }) {
  const { output } = useRead(
    'deliveries.counts',
    seqs === null ? { queries: ['is:flow OR is:composed', query], most: 10_000 } : null,
  )
  const leavesOut = (output?.counts[0]?.count ?? 0) > 0
  const matches = output?.counts[1]
  if (seqs !== null)
    return (
      <p>
        {seqs.length === 1 ? 'The selected delivery' : `The ${deliveryCount(seqs.length)} selected`}
      </p>
    )
  const count =
    matches == null || (matches.more && matches.count === 0)
      ? 'Deliveries'
      : `${matches.more ? 'At least ' : ''}${deliveryCount(matches.count)}`
  if (query === '')
    return (
      <p>
        {count}, oldest first{leavesOut ? ', without flow runs and composed requests (is:any)' : ''}
      </p>
    )
  return (
    <p className="wrap-anywhere">
      {count}, oldest first, matching{' '}
      <span className="data">
        <ExactText text={query} />
      </span>
    </p>
  )
}

function ExportForm({ subject }: { readonly subject: ExportSubject }) {
  const { problem, start } = useParts('exporting', 'problem', 'start')
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  const [format, setFormat] = useState<WindowFormat>('jsonl')
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
          {secrets ? secretsIncluded[format] : secretsMasked[format]}
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
