/** The dialogs of exports (selection, format, secrets) and imports (file, rejected lines). Both continue while hidden. */
import { useState, type ReactNode } from 'react'
import { deliveryCount } from '../../../shared/text/counted.ts'
import { furtherRefused, type ImportOutcome } from '../../../shared/model/import-outcome.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import type { UserFile } from '../../ui-state/user-file.ts'
import { Button } from '../../ui/button.tsx'
import { FormFoot, useFirstFocus } from '../../ui/dialog.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { CheckField } from '../../ui/field.tsx'
import { FileButton } from '../../ui/file-input.tsx'
import { byteSize } from '../../ui/moment.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { ExportSubject, WindowFormat } from './import-export-slice.ts'

/** How far an export or import is, with its two ways out. */
function Progress({
  label,
  value,
  max,
  children,
  cancel,
  onCancel,
}: {
  readonly label: string
  readonly value: number
  readonly max: number
  /** The progress in words. */
  readonly children: ReactNode
  readonly cancel: string
  readonly onCancel: () => void
}) {
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  const first = useFirstFocus<HTMLButtonElement>()
  return (
    <>
      <ProgressBar label={label} value={value} max={max} />
      <p className="text-small text-muted tabular-nums">{children}</p>
      <div className="mt-1 flex justify-end gap-2">
        <Button onClick={onCancel}>{cancel}</Button>
        <Button kind="primary" onClick={closeOverlay} ref={first}>
          Hide
        </Button>
      </div>
    </>
  )
}

const number = (count: number) => count.toLocaleString('en')

/** `3 imported · 1 already here · 2 rejected`. */
const countsOf = ({ imported, known, refused }: ImportOutcome) =>
  `${number(imported)} imported · ${number(known)} already here · ${number(refused)} rejected`

const formats = [
  { value: 'jsonl', label: 'JSON Lines' },
  { value: 'har', label: 'HAR' },
  { value: 'curl', label: 'cURL' },
] as const

const meanings: Readonly<Record<WindowFormat, string>> = {
  jsonl: 'One delivery per line, complete. Import it elsewhere with "countersign import".',
  har: 'HTTP archive (HAR 1.2) for tools that support it.',
  curl: 'A shell script that needs openssl and curl. Re-signs each delivery when run.',
}

const leftOut: Readonly<Record<WindowFormat, string>> = {
  jsonl: 'Values of custom headers and known secrets are replaced by [masked].',
  har: 'Values of custom headers and known secrets are replaced by [masked].',
  curl: 'Takes the secret from WEBHOOK_SECRET when run. Values of custom headers are replaced by [masked].',
}

const included: Readonly<Record<WindowFormat, string>> = {
  jsonl: 'Anyone with this file can read every header and body as received.',
  har: 'Anyone with this file can read every header and body as received.',
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
            <Progress
              label="Exported"
              value={progress.done}
              max={progress.total}
              cancel="Cancel export"
              onCancel={cancel}
            >
              {progress.total === 0
                ? 'Counting…'
                : `${number(progress.done)} of ${deliveryCount(progress.total)}`}
            </Progress>
          </div>
        ))
      }
    </OverlayDialog>
  )
}

function Subject({ subject: { seqs, query } }: { readonly subject: ExportSubject }) {
  const { output } = useRead('deliveries.counts', { queries: ['is:flow'], most: 1 })
  const hasFlowRuns = (output?.counts[0]?.count ?? 0) > 0
  if (seqs !== null)
    return (
      <p>
        {seqs.length === 1 ? 'The selected delivery' : `The ${deliveryCount(seqs.length)} selected`}
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

export function ImportDialog() {
  const { progress, chosen, end, cancel } = useParts(
    'importing',
    'progress',
    'chosen',
    'end',
    'cancel',
  )
  return (
    <OverlayDialog overlay="import" title="Import deliveries">
      {() => (
        <div className="flex flex-col gap-4">
          {progress !== null ? (
            <>
              <p className="wrap-anywhere">
                <ExactText text={progress.name} />, {byteSize(progress.size)}
              </p>
              <Progress
                label="Imported"
                value={progress.read}
                max={progress.size}
                cancel="Cancel import"
                onCancel={cancel}
              >
                {progress.outcome === null ? 'Reading…' : countsOf(progress.outcome)}
              </Progress>
            </>
          ) : chosen !== null ? (
            <Confirm source={chosen} />
          ) : (
            <>
              {end === null ? (
                <p>
                  Imports a JSON Lines export from this or another computer, with bytes, headers,
                  verdicts and responses unchanged. Deliveries you already have are skipped. Nothing
                  is forwarded.
                </p>
              ) : (
                <End {...end} />
              )}
              <Choice again={end !== null} />
            </>
          )}
        </div>
      )}
    </OverlayDialog>
  )
}

/** A file that the system opened: any program can ask for that, so the user confirms the import. */
function Confirm({ source }: { readonly source: UserFile }) {
  const start = useApp((state) => state.importing.start)
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  return (
    <>
      <p className="wrap-anywhere">
        <ExactText text={source.name} />, {byteSize(source.size)}
      </p>
      <p className="text-small text-muted">
        Verdicts in the file are claims until a hook here verifies them. Deliveries you already have
        are skipped. Nothing is forwarded.
      </p>
      <div className="flex justify-end gap-2">
        <Button onClick={closeOverlay}>Cancel</Button>
        <Button kind="primary" onClick={() => void start(source)}>
          Import
        </Button>
      </div>
    </>
  )
}

function Choice({ again }: { readonly again: boolean }) {
  const start = useApp((state) => state.importing.start)
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <span className="mr-auto text-small text-muted">You can also drop a file on the list.</span>
      <Button onClick={closeOverlay}>{again ? 'Close' : 'Cancel'}</Button>
      <FileButton
        file="capture"
        label="Export file"
        kind="primary"

        onFile={(file) => void start(file)}
      >
        {again ? 'Choose another file…' : 'Choose a file…'}
      </FileButton>
    </div>
  )
}

function End({
  name,
  outcome,
  problem,
}: {
  readonly name: string
  readonly outcome: ImportOutcome | null
  readonly problem: string | null
}) {
  const showImported = useApp((state) => state.importing.showImported)
  const { imported = 0, refused = 0, problems = [], lines = 0 } = outcome ?? {}
  const more = outcome === null ? null : furtherRefused(outcome)
  return (
    <div className="flex flex-col gap-2">
      <div
        role="alert"
        className="rounded-control border border-bad bg-bad-wash px-3 py-2 text-bad wrap-anywhere"
      >
        <p className="font-medium">
          <ExactText text={name} />
        </p>
        {problem !== null && (
          <p>
            <ExactText text={problem} />
          </p>
        )}
        {problem === null && lines === 0 && <p>The file is empty.</p>}
        {refused > 0 && (
          <ul className="mt-1 max-h-48 overflow-y-auto">
            {problems.map(({ line, reason }) => (
              <li key={line} className="flex gap-3">
                <span className="data w-20 shrink-0 tabular-nums">line {number(line)}</span>
                <span className="min-w-0">
                  <ExactText text={reason} />
                </span>
              </li>
            ))}
          </ul>
        )}
        {more !== null && <p className="mt-1">{more}</p>}
      </div>
      {outcome !== null && (
        <p className="text-small text-muted tabular-nums">{countsOf(outcome)}</p>
      )}
      {imported > 0 && (
        <div>
          <Button onClick={showImported}>Show imported deliveries</Button>
        </div>
      )}
    </div>
  )
}
