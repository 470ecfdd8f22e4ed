/** The form of a check: which saved handler, how fast, and which cases. */
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import {
  checkGroups,
  FIRST_CASE,
  type CheckCase,
  type CheckGroup,
  type CheckRun,
} from '../../../shared/model/check.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { counted } from '../../../shared/text/counted.ts'
import { useData } from '../../core-data/use-read.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { settleCall } from '../../ui/call-problem.ts'
import { handlerAt, handlerRef } from '../../ui/endpoint-offers.ts'
import { CheckField, TextField } from '../../ui/field.tsx'
import type { FieldFinding } from '../../ui/finding-text.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useForm } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { caseGroups, entriesOf } from './check-cases.ts'
import { SigningFacts } from './handler-parts.tsx'
import { SelectField } from '../../ui/select.tsx'

interface CheckDraft {
  readonly handlerId: string
  readonly rate: string
  /** Whether to send the live-mode payload of program.status to a test hook. */
  readonly programStatus: boolean
  /** Names of the selected cases. */
  readonly chosen: ReadonlySet<string>
}

/**
 * Returns the start of the form: the choices of the last check, otherwise the current handler and
 * all cases.
 */
export function beginningOf(
  last: CheckRun | null,
  handlers: readonly SavedHandler[],
  cases: readonly CheckCase[],
): CheckDraft {
  const checked = last === null ? null : handlerAt(last.target, handlers)
  const handler = checked ?? handlers.find(({ current }) => current) ?? handlers[0]
  const names = last === null ? cases.map(({ name }) => name) : namesOf(last)
  return {
    handlerId: handler?.id ?? '',
    rate: String(last?.rate ?? 10),
    programStatus: false,
    chosen: new Set(names),
  }
}

const namesOf = (run: CheckRun) => entriesOf(run).map(({ one }) => one.name)

export function wrongInCheck(
  { rate }: Pick<CheckDraft, 'rate'>,
  handler: SavedHandler | undefined,
): readonly FieldFinding[] {
  return [
    ...(handler?.hasSecret === false
      ? [{ field: 'handler', message: 'A check needs a secret. Edit the handler to add one.' }]
      : []),
    ...(rate.trim() === '' || Number(rate) > 0
      ? []
      : [{ field: 'rate', message: 'Enter a number above 0.' }]),
  ]
}

/** Names of complete groups, then of the remaining cases; empty if all are selected. */
export function onlyOf(chosen: ReadonlySet<string>, cases: readonly CheckCase[]): string[] {
  if (cases.every(({ name }) => chosen.has(name))) return []
  const picked = caseGroups(cases.map((one) => ({ one, result: null }))).flatMap(
    ([group, entries]) => {
      const names = entries.map(({ one }) => one.name).filter((name) => chosen.has(name))
      return names.length === entries.length ? [group] : names
    },
  )
  return picked.length === 0 ? [FIRST_CASE] : picked
}

export function CheckForm({
  cases,
  run,
  onCancel,
}: {
  readonly cases: readonly CheckCase[]
  /** The last run, whose settings the form begins with. */
  readonly run: CheckRun | null
  readonly onCancel: (() => void) | null
}) {
  const { handlers, hooks, environments, go, edit } = useAppParts(
    ({ core, navigation, handlers: { edit: editHandler } }) => ({
      handlers: core.handlers,
      hooks: core.hooks,
      environments: core.environments,
      go: navigation.go,
      edit: editHandler,
    }),
  )
  const { client } = useData()
  const handlerOf = ({ handlerId }: CheckDraft) => handlers.find(({ id }) => id === handlerId)
  const form = useForm<CheckDraft, OutputOf<'check.start'>>({
    begin: () => beginningOf(run, handlers, cases),
    check: (typed) => wrongInCheck(typed, handlerOf(typed)),
    submit({ rate, chosen, programStatus }) {
      if (handler === undefined) return null
      return settleCall(
        client.call('check.start', {
          target: handlerRef(handler),
          ...(rate.trim() === '' ? {} : { rate: Number(rate) }),
          only: onlyOf(chosen, cases),
          programStatus,
        }),
      )
    },
    onDone: (started) => go('check', { run: started.run.id }),
  })
  const { draft, change, busy, problem } = form
  const handler = handlerOf(draft)
  const environment = hooks.find(({ id }) => id === handler?.hookId)?.environment
  const isLive = environments.some(({ name, mode }) => name === environment && mode === 'live')
  const failed = (run?.results ?? [])
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ name }) => name)
  return (
    <form
      aria-label="Check handler"
      className="flex flex-wrap items-start gap-x-16 gap-y-6"
      {...form.element}
    >
      <div className="flex max-w-[640px] min-w-0 flex-1 basis-[440px] flex-col gap-3">
        <SelectField
          label="Handler"
          hint="Use a test instance: valid events will be processed."
          choices={handlers.map((one) => ({
            value: one.id,
            label: visibleText(handlerRef(one)),
            note: visibleText(one.url),
          }))}
          {...form.field('handlerId', 'handler')}
        />
        {handler !== undefined && (
          <div className="flex items-start gap-3">
            <dl className="grid min-w-0 flex-1 grid-cols-[88px_minmax(0,1fr)] gap-x-4 gap-y-1 text-small">
              <SigningFacts handler={handler} />
            </dl>
            <Button kind="quiet" onClick={() => edit(handler)}>
              Edit handler…
            </Button>
          </div>
        )}
        <div className="grid grid-cols-[128px_minmax(0,1fr)] items-start gap-4">
          <TextField label="Requests per second" inputMode="decimal" {...form.field('rate')} />
          {!isLive && (
            <div className="pt-6">
              <CheckField
                checked={draft.programStatus}
                onChange={(programStatus) => change({ programStatus })}
              >
                Include program.status (live-mode payload)
              </CheckField>
            </div>
          )}
        </div>
        {problem !== null && <ProblemView problem={problem} covered={['rate']} />}
        <div className="mt-1 flex gap-2">
          <Button kind="primary" type="submit" disabled={busy || handler === undefined}>
            {busy ? 'Starting…' : 'Start check'}
          </Button>
          {onCancel !== null && <Button onClick={onCancel}>Cancel</Button>}
        </div>
      </div>
      <div className="w-[340px] max-w-full shrink-0 max-[1040px]:w-[640px]">
        <CaseChoice
          cases={cases}
          chosen={draft.chosen}
          failed={failed}
          onChange={(chosen) => change({ chosen })}
        />
        <p className="mt-3 text-small text-subtle">
          IDs in valid deliveries start with <span className="data">c4ec0000</span>, so you can find
          what your handler stored. From a terminal: <span className="data">countersign check</span>
          .
        </p>
      </div>
    </form>
  )
}

function CaseChoice({
  cases,
  chosen,
  failed,
  onChange,
}: {
  readonly cases: readonly CheckCase[]
  /** Names of the selected cases. */
  readonly chosen: ReadonlySet<string>
  /** Names of the cases that failed in the shown run. */
  readonly failed: readonly string[]
  readonly onChange: (chosen: ReadonlySet<string>) => void
}) {
  const names = cases.map(({ name }) => name)
  const choose = (some: readonly string[], wanted: boolean) =>
    onChange(
      new Set(
        names.filter((name) =>
          some.includes(name) ? wanted || name === FIRST_CASE : chosen.has(name),
        ),
      ),
    )
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Cases to run</legend>
      <div className="mb-1 flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="flex-1 font-medium" role="status">
          {chosen.size === names.length
            ? counted(names.length, 'case')
            : `${chosen.size} of ${counted(names.length, 'case')}`}
        </span>
        {failed.length > 0 && (
          <Button onClick={() => onChange(new Set([FIRST_CASE, ...failed]))}>
            Only failed ({failed.length})
          </Button>
        )}
        <Button disabled={chosen.size === names.length} onClick={() => onChange(new Set(names))}>
          All
        </Button>
      </div>
      <ul>
        {caseGroups(cases.map((one) => ({ one, result: null }))).map(([group, entries]) => (
          <Group
            key={group}
            group={group}
            cases={entries.map(({ one }) => one)}
            chosen={chosen}
            onChoose={choose}
          />
        ))}
      </ul>
    </fieldset>
  )
}

function Group({
  group,
  cases,
  chosen,
  onChoose,
}: {
  readonly group: CheckGroup
  readonly cases: readonly CheckCase[]
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (names: readonly string[], wanted: boolean) => void
}) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const count = cases.filter(({ name }) => chosen.has(name)).length
  return (
    <li className="border-b border-line/50">
      <div className="flex min-h-8 items-center gap-1">
        <IconButton
          label={`${open ? 'Hide' : 'Show'} cases: ${checkGroups[group]}`}
          icon={ChevronRight}
          className="aria-expanded:[&>svg]:rotate-90 [&>svg]:transition-transform"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
        />
        <span className="min-w-0 flex-1">
          <CheckField
            checked={count === cases.length}
            mixed={count > 0 && count < cases.length}
            onChange={(wanted) =>
              onChoose(
                cases.map(({ name }) => name),
                wanted,
              )
            }
          >
            {checkGroups[group]}
          </CheckField>
        </span>
        <span className="text-subtle tabular-nums">
          {count === cases.length ? count : `${count} of ${cases.length}`}
        </span>
      </div>
      {open && (
        <ul id={id} className="flex flex-col gap-1.5 pt-0.5 pb-2.5 pl-14">
          {cases.map(({ name, title }) => (
            <li key={name}>
              <CheckField
                checked={chosen.has(name)}
                disabled={name === FIRST_CASE}
                onChange={(wanted) => onChoose([name], wanted)}
              >
                <span className="min-w-0 text-small text-muted">
                  {title}
                  {name === FIRST_CASE && ' (always sent)'}
                </span>
              </CheckField>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
