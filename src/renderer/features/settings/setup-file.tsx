/** The setup file that describes this data folder: its differences, and the button to apply it. */
import { useState } from 'react'
import {
  deletesDeliveries,
  isChangedEntry,
  setupChangeText,
  type SetupEntry,
  type SetupPlan,
} from '../../../shared/model/setup.ts'
import { SETUP_FILE } from '../../../shared/model/setup-file.ts'
import { capitalized, counted } from '../../../shared/text/english.ts'
import { useData, useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ExactLines } from '../../ui/exact-text.tsx'
import { SecretField } from '../../ui/field.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { visibleText } from '../../ui/visible-text.ts'

const REREAD_MS = 3_000
/** Time in which an apply can be undone. */
const UNDO_MS = 30_000

const words: Readonly<Record<SetupEntry['state'], string>> = {
  add: 'Add',
  change: 'Change',
  unchanged: 'Unchanged',
  extra: 'Kept',
}

export function SetupFile() {
  const { output, problem, readAgain } = useRead('setup.plan', {}, { everyMs: REREAD_MS })
  if (output === undefined)
    return problem === null ? (
      <span className="late skeleton h-3 w-64" />
    ) : (
      <LoadProblem title="Couldn't compare the file" problem={problem} onAgain={readAgain} />
    )
  const { file, plan } = output
  if (file === null)
    return (
      <p className="leading-7 text-muted">
        None yet. <code className="data">countersign apply --write</code> writes one.
      </p>
    )
  if (plan !== null) return <PlanView plan={plan} onApplied={readAgain} />
  return (
    <div role="alert" className="flex flex-col gap-1">
      <p className="text-bad">The file has errors. Fix them, then this page compares it again.</p>
      <pre
        tabIndex={0}
        aria-label="Errors"
        className="data max-h-48 overflow-auto rounded-small border border-line bg-surface px-2.5 py-1.5 wrap-anywhere whitespace-pre-wrap"
      >
        <ExactLines text={output.problem ?? ''} />
      </pre>
    </div>
  )
}

function PlanView({
  plan,
  onApplied,
}: {
  readonly plan: SetupPlan
  readonly onApplied: () => void
}) {
  const differing = plan.entries.filter(isChangedEntry)
  const extra = plan.entries.filter(({ state }) => state === 'extra')
  const isSame = plan.differences === 0
  return (
    <>
      <div>
        <p role="status">
          This setup is described by {SETUP_FILE}:{' '}
          <strong className={`font-medium ${isSame ? '' : 'text-warn'}`}>
            {isSame ? 'no differences' : counted(plan.differences, 'difference')}
          </strong>
        </p>
        <p className="data text-small text-muted wrap-anywhere">{visibleText(plan.file)}</p>
      </div>
      {!isSame && <Entries label="Differences" entries={differing} />}
      {!isSame && <ApplyForm plan={plan} onApplied={onApplied} />}
      {extra.length > 0 && (
        <details>
          <summary className="text-small text-muted">
            {counted(extra.length, 'entry', 'entries')} only here, kept
          </summary>
          <Entries label="Only here" entries={extra} />
        </details>
      )}
    </>
  )
}

function Entries({
  label,
  entries,
}: {
  readonly label: string
  readonly entries: readonly SetupEntry[]
}) {
  return (
    <ul aria-label={label} className="border-t border-line/60">
      {entries.map(({ kind, name, state, changes }) => (
        <li
          key={`${kind} ${name}`}
          className="grid grid-cols-[4rem_7rem_minmax(0,1fr)] gap-x-3 border-b border-line/60 py-1.5 max-[700px]:grid-cols-1"
        >
          <span className={state === 'extra' ? 'text-subtle' : 'font-medium'}>{words[state]}</span>
          <span className="text-muted">{kind}</span>
          <span className="min-w-0">
            <span className="data wrap-anywhere">{visibleText(name)}</span>
            {changes.map((change) => (
              <span key={change.field} className="data block text-small text-muted wrap-anywhere">
                {visibleText(setupChangeText(change))}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  )
}

function ApplyForm({
  plan,
  onApplied,
}: {
  readonly plan: SetupPlan
  readonly onApplied: () => void
}) {
  const { differences, missing } = plan
  const { act, client } = useData()
  const offerUndo = useApp((state) => state.marks.offerUndo)
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({})
  const [isBusy, setBusy] = useState(false)
  const entered = missing.filter(({ isOutside }) => !isOutside)
  const changes = counted(differences, 'change')
  const undo = (id: string) =>
    void act("Couldn't undo", () => client.call('setup.undo', { undo: id }), {
      done: () => {
        onApplied()
        return { tone: 'ok', title: `${changes} undone` }
      },
    })
  const apply = () => {
    const given = entered.map(({ place }) => [place, secrets[place] ?? ''] as const)
    void act(
      `Couldn't apply ${SETUP_FILE}`,
      () => client.call('setup.apply', { secrets: Object.fromEntries(given) }),
      {
        busy: setBusy,
        done: ({ undo: id }) => {
          setSecrets({})
          onApplied()
          return {
            ...{ tone: 'ok', title: `${changes} applied` },
            ...offerUndo(() => undo(id), UNDO_MS),
          }
        },
      },
    )
  }
  return (
    <form
      className="flex flex-col gap-3"
      aria-label={`Apply ${SETUP_FILE}`}
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      {entered.map(({ place, what, reference }) => (
        <SecretField
          key={place}
          label={capitalized(what)}
          hint={reference === null ? 'Stored encrypted.' : `Or set ${reference}, then start again.`}
          value={secrets[place] ?? ''}
          onChange={(value) => setSecrets({ ...secrets, [place]: value })}
        />
      ))}
      <OutsideSecrets missing={missing} />
      <div className="flex items-center gap-3">
        <Button
          kind="primary"
          type="submit"
          disabled={isBusy || entered.some(({ place }) => !secrets[place])}
        >
          {isBusy ? 'Applying…' : `Apply ${changes}`}
        </Button>
        <p className={`text-small ${deletesDeliveries(plan) ? 'text-warn' : 'text-subtle'}`}>
          {deletesDeliveries(plan)
            ? 'Deletes the deliveries beyond the new retention limits.'
            : 'Deletes nothing, sends nothing.'}
        </p>
      </div>
    </form>
  )
}

function OutsideSecrets({ missing }: Pick<SetupPlan, 'missing'>) {
  return missing
    .filter(({ isOutside }) => isOutside)
    .map(({ place, what, reference }) => (
      <p key={place} className="text-small text-muted wrap-anywhere">
        Reads the {what} from <span className="data">{visibleText(reference ?? '')}</span>.
      </p>
    ))
}
