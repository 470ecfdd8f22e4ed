import { useState } from 'react'
import { omissionText, replacedWords, type SharingReport } from '../../../shared/model/sharing.ts'
import { deliveryCount } from '../../../shared/text/english.ts'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { SecretField, TextField } from '../../ui/field.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { Subject, SubjectProgress } from './export-subject.tsx'
import { formatCount, TransferProblem } from './transfer-progress.tsx'

const DAY_MS = 86_400_000
const MOST_DAYS = 36_500

export function ShareDialog() {
  const { progress, subject, preview, cancel } = useParts(
    'sharing',
    'progress',
    'subject',
    'preview',
    'cancel',
  )
  return (
    <OverlayDialog overlay="share" ready={subject !== null} title="Share deliveries">
      {() =>
        subject !== null &&
        (progress !== null ? (
          <SubjectProgress
            {...{ subject, progress, onCancel: cancel }}
            label={preview === null ? 'Previewed' : 'Shared'}
            cancel={preview === null ? 'Cancel preview' : 'Cancel'}
          />
        ) : preview === null ? (
          <ShareForm />
        ) : (
          <Preview {...preview} />
        ))
      }
    </OverlayDialog>
  )
}

const pathsIn = (text: string) =>
  text
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')

function ShareForm() {
  const { subject, options, problem, showPreview } = useParts(
    'sharing',
    'subject',
    'options',
    'problem',
    'showPreview',
  )
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  const [keep, setKeep] = useState(options.keep.join(', '))
  const [replace, setReplace] = useState(options.replace.join(', '))
  const [days, setDays] = useState(options.shiftMs === 0 ? '' : String(options.shiftMs / DAY_MS))
  const [passphrase, setPassphrase] = useState(options.passphrase ?? '')
  const isTime = /^-?\d{0,5}$/.test(days) && Math.abs(Number(days)) <= MOST_DAYS
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        const shiftMs = Number(days) * DAY_MS
        const paths = { keep: pathsIn(keep), replace: pathsIn(replace) }
        if (isTime) void showPreview({ ...paths, shiftMs, passphrase: passphrase || null })
      }}
    >
      {subject !== null && <Subject subject={subject} />}
      <p className="text-muted">
        Names, addresses, IDs, card digits, codes, unknown fields, header values and notes are
        replaced; equal values stay equal. Amounts, currencies, times and flags stay. Each delivery
        is signed again with a throw-away secret, so that it verifies, or fails for the same reason.
      </p>
      <TextField
        label="Fields to keep"
        optional
        value={keep}
        onChange={setKeep}
        placeholder="card.metadata.tier"
        hint="Separated by commas."
      />
      <TextField
        label="Fields to replace"
        optional
        value={replace}
        onChange={setReplace}
        placeholder="amount"
        hint="Separated by commas."
      />
      <TextField
        label="Move all times by days"
        optional
        value={days}
        onChange={setDays}
        placeholder="-30"
        {...(isTime ? {} : { problem: `Enter an integer, at most ${formatCount(MOST_DAYS)}.` })}
      />
      <SecretField
        label="Passphrase"
        optional
        value={passphrase}
        onChange={setPassphrase}
        hint="Encrypts the file, and isn't stored."
      />
      <TransferProblem text={problem} />
      <FormFoot onCancel={closeOverlay} action="Preview" busyWords="Previewing…" busy={false} />
    </form>
  )
}

function Preview({ shared, report }: { readonly shared: number; readonly report: SharingReport }) {
  const { options, problem, back, save } = useParts('sharing', 'options', 'problem', 'back', 'save')
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  const omitted = omissionText(report)
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <p>
        {deliveryCount(shared)} to share. Nothing was written yet. The file contains throw-away
        secrets, so that it can be verified and replayed.
      </p>
      {options.passphrase !== null && <p>The file will be encrypted.</p>}
      {omitted !== null && <p className="text-warn">{omitted}</p>}
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-small tabular-nums" aria-label="Replaced">
        {report.replaced.map((replaced) => (
          <li key={replaced.kind}>
            <span className="font-medium">{formatCount(replaced.count)}</span>{' '}
            <span className="text-muted">{replacedWords(replaced)}</span>
          </li>
        ))}
      </ul>
      {report.examples.length > 0 && (
        <div
          className="max-h-72 overflow-y-auto rounded-control border border-line"
          tabIndex={0}
          role="group"
          aria-label="Examples"
        >
          <table className="w-full table-fixed text-small">
            <thead className="text-left text-muted">
              <tr className="border-b border-line">
                <th className="w-[32%] px-2 py-1 font-medium">Field</th>
                <th className="px-2 py-1 font-medium">Now</th>
                <th className="px-2 py-1 font-medium">Shared</th>
              </tr>
            </thead>
            <tbody>
              {report.examples.map(({ where, before, after }, index) => (
                <tr key={index} className="border-b border-line/50 align-top last:border-0">
                  {[where, before, after].map((text, column) => (
                    <td key={column} className="data px-2 py-1 wrap-anywhere">
                      <ExactText text={text} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <TransferProblem text={problem} />
      <FormFoot
        onCancel={closeOverlay}
        action="Save file"
        busyWords="Saving…"
        busy={false}
        disabled={shared === 0}
        aside={
          <span className="mr-auto">
            <Button onClick={back}>Back</Button>
          </span>
        }
      />
    </form>
  )
}
