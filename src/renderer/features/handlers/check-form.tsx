/** The form of a check: endpoint, secret, signed URL and cases. Remote hosts and live hooks need consent. */
import {
  type CheckCase,
  checkGroups,
  FIRST_CASE,
  type CheckGroup,
  type CheckRun,
} from '../../../shared/model/check.ts'
import { useData } from '../../data/use-read.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { TargetAuthorityField, useTargetAuthority } from '../../ui/authority-field.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { AskedConsent } from '../../ui/consent.tsx'
import {
  EndpointField,
  HandlerSecretField,
  RegisteredUrlField,
  useEndpoint,
} from '../../ui/endpoint-field.tsx'
import { namedHandler } from '../../ui/endpoint-offers.ts'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useConsents } from '../../ui/use-consents.ts'
import { useForm } from '../../ui/use-form.ts'
import {
  beginningOf,
  checkInput,
  signingEnvironment,
  missingOf,
  wordsOfConsent,
  type CheckDraft,
} from './check-draft.ts'
import { isCertificateObstacle, caseGroups } from './check-cases.ts'
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { counted } from '../../../shared/text/counted.ts'

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
  const { handlers, hooks, environments } = useParts('core', 'handlers', 'hooks', 'environments')
  const { client } = useData()
  const go = useApp((state) => state.navigation.go)
  const usable = hooks.filter(
    ({ status, secretHint }) => status !== 'deleted' && secretHint !== null,
  )
  const hookOf = ({ hookId }: CheckDraft) => usable.find(({ id }) => id === hookId)
  const consents = useConsents()
  const form = useForm<CheckDraft>({
    begin: () => beginningOf(run, handlers, usable, environments, cases),
    check: (typed) => missingOf(typed, namedHandler(typed.target, handlers)?.hasSecret === true),
    submit(draft) {
      const input = {
        ...checkInput(draft, handler, hookOf(draft) ?? null, cases),
        targetCa: authority.targetCa,
      }
      consents.begin(async (consent) => {
        const started = await client.call('check.start', { ...input, ...consent })
        authority.remember()
        go('check', { run: started.run.id })
      })
      return null
    },
    consents,
  })
  const { draft, change, busy, problem } = form
  const { handler, url } = useEndpoint(draft.target)
  // A saved handler brings its own certificate.
  const authority = useTargetAuthority(handler === null ? draft.target : '')
  const needsSecret = handler?.hasSecret !== true
  const hook = hookOf(draft)
  const signingHookId = needsSecret ? draft.hookId : (handler?.hookId ?? null)
  const isLiveHook = signingEnvironment(signingHookId, { hooks, environments })?.mode === 'live'
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
        <EndpointField
          label="Endpoint"
          value={draft.target}
          hint="Use a test instance: valid events will be processed."
          facts={{
            registeredUrl: draft.registeredUrl.trim() || null,
            targetCa: authority.targetCa,
            ...(draft.hookId === '' ? { secret: draft.secret || null } : { hookId: draft.hookId }),
          }}
          onChange={(target) => change({ target })}
        />
        {handler === null && (
          <TargetAuthorityField
            target={draft.target}
            value={authority.value}
            problem={form.problemAt('targetCa')}
            wanted={run !== null && run.target === draft.target && isCertificateObstacle(run)}
            onChange={(caPem) => {
              authority.change(caPem)
              consents.clear()
            }}
          />
        )}
        {needsSecret && (
          <SelectField
            label="Secret"
            value={draft.hookId}
            onChange={(hookId) => change({ hookId })}
          >
            {usable.map((each) => (
              <option key={each.id} value={each.id}>
                {`${each.event} hook, ${each.environment}: ${each.url}`}
              </option>
            ))}
            <option value="">Enter a secret</option>
          </SelectField>
        )}
        {needsSecret && draft.hookId === '' && <HandlerSecretField {...form.field('secret')} />}
        {handler === null && (
          <RegisteredUrlField
            value={draft.registeredUrl}
            otherwise={hook?.url ?? draft.target}
            onChange={(registeredUrl) => change({ registeredUrl })}
          />
        )}
        <div className="grid grid-cols-[128px_minmax(0,1fr)] items-start gap-4">
          <TextField label="Requests per second" inputMode="decimal" {...form.field('rate')} />
          {!isLiveHook && (
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
        {problem !== null && <ProblemView problem={problem} covered={['rate', 'targetCa']} />}
        <AskedConsent
          consents={consents}
          words={(question) =>
            wordsOfConsent(
              question,
              draft.chosen.size === 1 ? 'One case' : `${draft.chosen.size} cases`,
              url,
            )
          }
        />
        {consents.question === null && (
          <div className="mt-1 flex gap-2">
            <Button
              kind="primary"
              type="submit"
              className="h-8"
              disabled={busy || draft.target.trim() === ''}
            >
              {busy ? 'Starting…' : 'Start check'}
            </Button>
            {onCancel !== null && (
              <Button className="h-8" onClick={onCancel}>
                Cancel
              </Button>
            )}
          </div>
        )}
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

// Selects the cases of a check: all, groups, single ones or those that failed last time. The first delivery is always sent.

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
          icon={
            <ChevronRight
              size={14}
              aria-hidden
              className={`transition-transform ${open ? 'rotate-90' : ''}`}
            />
          }
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
