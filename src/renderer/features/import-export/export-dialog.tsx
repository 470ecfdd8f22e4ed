import { useState } from 'react'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { CheckField } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { WindowFormat } from './export-slice.ts'
import { Subject, SubjectProgress } from './export-subject.tsx'
import type { ExportSubject } from './transfer.ts'
import { TransferProblem } from './transfer-progress.tsx'
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
          <SubjectProgress
            {...{ subject, progress, onCancel: cancel }}
            label="Exported"
            cancel="Cancel export"
          />
        ))
      }
    </OverlayDialog>
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
      <TransferProblem text={problem} />
      <FormFoot onCancel={closeOverlay} action="Export" busyWords="Exporting…" busy={false} />
    </form>
  )
}
