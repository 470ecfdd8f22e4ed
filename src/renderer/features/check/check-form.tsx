/** What a check asks for: where to, signed with whose secret, over which URL. A host beyond this machine and a live hook are agreed to here. */
import { useState, type SyntheticEvent } from 'react'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import type { CallProblem } from '../../ui/call-problem.ts'
import { CheckField } from '../../ui/check-field.tsx'
import { HandlerSecretField, HandlerUrlField, RegisteredUrlField } from '../../ui/handler-fields.tsx'
import { HostConfirmation } from '../../ui/host-confirmation.tsx'
import { LiveConfirmation } from '../../ui/live-confirmation.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { beginningOf, inputOf, type CheckDraft } from './check-draft.ts'
import { whatWouldGo, type CheckConsent } from './check-slice.ts'

export function CheckForm({ onCancel }: { readonly onCancel: (() => void) | null }) {
  const { hooks, environments, run, startCheck } = useAppParts((state) => ({
    hooks: state.hooks,
    environments: state.environments,
    run: state.checkRun,
    startCheck: state.startCheck,
  }))
  const usable = hooks.filter(({ status, secretHint }) => status !== 'deleted' && secretHint !== null)
  const [draft, setDraft] = useState<CheckDraft>(() => beginningOf(run, usable))
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<CallProblem | null>(null)
  const [consent, setConsent] = useState<CheckConsent | null>(null)
  const [allowed, setAllowed] = useState<readonly string[]>([])
  const hook = usable.find(({ id }) => id === draft.hookId)
  const environment = hook === undefined ? undefined : environments.find(({ name }) => name === hook.environment)
  const wantsConfirmation = problem?.code === 'CONFIRMATION_REQUIRED' && environment?.mode === 'live'
  const change = (more: Partial<CheckDraft>) => {
    setDraft({ ...draft, ...more })
    setProblem(null)
    setConsent(null)
  }
  const start = async (allowHosts: readonly string[], live: boolean) => {
    setBusy(true)
    const started = await startCheck(inputOf({ ...draft, live: live || draft.live }, hook ?? null, allowHosts))
    setBusy(false)
    if (started.ok) return
    if ('consent' in started) setConsent(started.consent)
    else setProblem(started.problem)
  }
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    setProblem(null)
    setConsent(null)
    void start(allowed, false)
  }
  return (
    <form aria-label="Check a handler" onSubmit={submit} className="flex max-w-[640px] flex-col gap-3" noValidate>
      <HandlerUrlField
        label="Endpoint"
        value={draft.target}
        hint="Where your handler listens. Check one that is not in use: it will book what is genuine."
        onChange={(target) => {
          change({ target })
        }}
      />
      <SelectField
        label="Secret"
        value={draft.hookId}
        onChange={(hookId) => {
          change({ hookId })
        }}
      >
        {usable.map((each) => (
          <option key={each.id} value={each.id}>
            {`That of the hook ${each.event}, ${each.environment}: ${each.url}`}
          </option>
        ))}
        <option value="">One that is typed in</option>
      </SelectField>
      {draft.hookId === '' && (
        <HandlerSecretField
          value={draft.secret}
          onChange={(secret) => {
            change({ secret })
          }}
        />
      )}
      <RegisteredUrlField
        value={draft.registeredUrl}
        otherwise={hook?.url ?? draft.target}
        onChange={(registeredUrl) => {
          change({ registeredUrl })
        }}
      />
      <div className="grid grid-cols-[128px_minmax(0,1fr)] items-start gap-4">
        <TextField
          label="Requests a second"
          inputMode="decimal"
          value={draft.rate}
          onChange={(rate) => {
            change({ rate })
          }}
        />
        <div className="pt-6">
          <CheckField
            checked={draft.live}
            onChange={(live) => {
              change({ live })
            }}
          >
            Send program.status too, which says that it is live
          </CheckField>
        </div>
      </div>
      {problem !== null && !wantsConfirmation && <ProblemView problem={problem} />}
      {consent !== null && (
        <HostConfirmation
          host={consent.host}
          action={`Send them to ${consent.host}`}
          busy={busy}
          onBack={() => {
            setConsent(null)
          }}
          onConfirm={() => {
            const hosts = [...allowed, consent.host]
            setAllowed(hosts)
            setConsent(null)
            void start(hosts, false)
          }}
        >
          {whatWouldGo(consent)}
        </HostConfirmation>
      )}
      {wantsConfirmation && (
        <LiveConfirmation
          environment={environment.name}
          action="Check with its secret"
          busy={busy}
          onBack={() => {
            setProblem(null)
          }}
          onConfirm={() => {
            setProblem(null)
            void start(allowed, true)
          }}
        >
          Up to 80 requests go to {draft.target}, signed with the secret of its hook.
        </LiveConfirmation>
      )}
      {consent === null && !wantsConfirmation && (
        <div className="mt-1 flex gap-2">
          <Button kind="primary" type="submit" className="h-8" disabled={busy || draft.target.trim() === ''}>
            {busy ? 'Starting…' : 'Start the check'}
          </Button>
          {onCancel !== null && (
            <Button className="h-8" onClick={onCancel}>
              Cancel
            </Button>
          )}
        </div>
      )}
    </form>
  )
}
