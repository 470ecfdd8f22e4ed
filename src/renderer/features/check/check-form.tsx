/** The form of a check: endpoint, secret, signed URL and cases. Remote hosts and live hooks need consent. */
import type { CheckCase } from '../../../shared/model/check.ts'
import { useParts } from '../../state/use-app.ts'
import { TargetAuthorityField, useTargetAuthority } from '../../ui/authority-field.tsx'
import { Button } from '../../ui/button.tsx'
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
import { CaseChoice } from './case-choice.tsx'
import {
  beginningOf,
  checkInput,
  environmentOf,
  missingOf,
  wordsOfConsent,
  type CheckDraft,
} from './check-draft.ts'
import { isCertificateObstacle } from './case-entries.ts'

export interface CheckFormProps {
  readonly cases: readonly CheckCase[]
  readonly onCancel: (() => void) | null
}

export function CheckForm({ cases, onCancel }: CheckFormProps) {
  const { handlers, hooks, environments } = useParts('core', 'handlers', 'hooks', 'environments')
  const { run, start: startCheck } = useParts('check', 'run', 'start')
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
      consents.begin((consent) => startCheck({ ...input, ...consent }).then(authority.remember))
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
  const isLiveHook = environmentOf(signingHookId, { hooks, environments })?.mode === 'live'
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
        {needsSecret && draft.hookId === '' && (
          <HandlerSecretField
            value={draft.secret}
            problem={form.problemAt('secret')}
            onChange={(secret) => change({ secret })}
          />
        )}
        {handler === null && (
          <RegisteredUrlField
            value={draft.registeredUrl}
            otherwise={hook?.url ?? draft.target}
            onChange={(registeredUrl) => change({ registeredUrl })}
          />
        )}
        <div className="grid grid-cols-[128px_minmax(0,1fr)] items-start gap-4">
          <TextField
            label="Requests per second"
            inputMode="decimal"
            value={draft.rate}
            problem={form.problemAt('rate')}
            onChange={(rate) => change({ rate })}
          />
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
