import { useState } from 'react'
import { furtherRejectedText, type ImportOutcome } from '../../../shared/model/import-outcome.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { FileButton } from '../../connected/file-input.tsx'
import { SecretField } from '../../ui/field.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { byteSize } from '../../ui/moment.ts'
import { useFirstFocus } from '../../ui/use-first-focus.ts'
import type { ChosenFile } from './import-slice.ts'
import { TransferProgress, formatCount } from './transfer-progress.tsx'

/** Returns `3 imported · 1 already here · 2 rejected`. */
const countsOf = ({ imported, known, refused }: ImportOutcome) =>
  `${formatCount(imported)} imported · ${formatCount(known)} already here · ${formatCount(refused)} rejected`

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
              <TransferProgress
                label="Imported"
                value={progress.read}
                max={progress.size}
                cancel="Cancel import"
                onCancel={cancel}
              >
                {progress.outcome === null ? 'Reading…' : countsOf(progress.outcome)}
              </TransferProgress>
            </>
          ) : chosen !== null ? (
            <Confirm {...chosen} />
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

/**
 * Asks before importing a file that the system opened, because any program can request that, and
 * for the passphrase of an encrypted one.
 */
function Confirm({ source, lock }: ChosenFile) {
  const start = useApp((state) => state.importing.start)
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  const [passphrase, setPassphrase] = useState('')
  const first = useFirstFocus<HTMLInputElement>()
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void start(source, lock === null ? undefined : passphrase)
      }}
    >
      <p className="wrap-anywhere">
        <ExactText text={source.name} />, {byteSize(source.size)}
        {lock !== null && ', encrypted'}
      </p>
      {lock === null ? (
        <p className="text-small text-muted">
          Verdicts in the file are claims until a hook here verifies them. Deliveries you already
          have are skipped. Nothing is forwarded.
        </p>
      ) : (
        <SecretField
          ref={first}
          label="Passphrase"
          value={passphrase}
          onChange={setPassphrase}
          {...lock}
        />
      )}
      <FormFoot
        onCancel={closeOverlay}
        action="Import"
        busyWords="Importing…"
        busy={false}
        disabled={lock !== null && passphrase === ''}
      />
    </form>
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
  const furtherProblems = outcome === null ? null : furtherRejectedText(outcome)
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
                <span className="data w-20 shrink-0 tabular-nums">line {formatCount(line)}</span>
                <span className="min-w-0">
                  <ExactText text={reason} />
                </span>
              </li>
            ))}
          </ul>
        )}
        {furtherProblems !== null && <p className="mt-1">{furtherProblems}</p>}
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
