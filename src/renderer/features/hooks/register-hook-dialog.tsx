/** Registers a hook through the service's API. What speaks against it is said while it is filled in, each at its field. */
import { useRef, useState, type FormEvent } from 'react'
import { isOfSandbox } from '../../state/sandbox-environment.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import type { Finding } from '../../ui/call-problem.ts'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { focusFirstInvalid } from '../../ui/focus-invalid.ts'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import { repeatedNames } from './header-rows.ts'
import { coveredFields, HookFields } from './hook-fields.tsx'
import { draftOfHook, findingsNow, inputOfDraft, newHookDraft, type HookDraft } from './hook-form.ts'
import { useHookCheck } from './use-hook-check.ts'
import { Warnings, WorthKnowing } from './warnings.tsx'

export function RegisterHookDialog() {
  const { open, closeOverlay, setHookDraft } = useAppParts((state) => ({
    open: state.navigation.overlay === 'register-hook',
    closeOverlay: state.navigation.closeOverlay,
    setHookDraft: state.hooks.setDraft,
  }))
  const close = () => {
    setHookDraft(null)
    closeOverlay()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Register a hook"
      description="The service is asked to send an event’s deliveries to a URL. Its secret comes back, and is kept here."
    >
      <RegisterForm onDone={close} />
    </Dialog>
  )
}

function RegisterForm({ onDone }: { readonly onDone: () => void }) {
  const environments = useApp((state) => state.core.environments)
  const { add: addHook, draft: from } = useParts('hooks', 'add', 'draft')
  const current = environments.find((environment) => environment.current) ?? environments[0]
  const [draft, setDraft] = useState<HookDraft>(() => (from === null ? newHookDraft(current?.name ?? '') : draftOfHook(from)))
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [sent, setSent] = useState(false)
  const [confirming, setConfirming] = useState(false)
  const [afterwards, setAfterwards] = useState<readonly Finding[]>([])
  const form = useRef<HTMLFormElement>(null)
  const advice = useHookCheck(draft)
  const { busy, problem, run, clear } = useOutcome()
  const environment = environments.find(({ name }) => name === draft.environment)
  const live = environment?.mode === 'live'

  const change = (part: Partial<HookDraft>) => {
    setDraft({ ...draft, ...part })
    setTouched(new Set([...touched, ...Object.keys(part)]))
    setConfirming(false)
    clear()
  }
  const shows = (field: string) => sent || field === 'event' || touched.has(field.split('.')[0] ?? field)
  const register = async () => {
    const added = await run(() => addHook({ ...inputOfDraft(draft, advice.proposed), live }))
    setConfirming(false)
    if (added === null) {
      focusFirstInvalid(form.current)
      return
    }
    if (added.warnings.length === 0) onDone()
    else setAfterwards(added.warnings)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    const isWrong = (advice.current && advice.findings.length > 0) || repeatedNames(draft.headers).size > 0
    if (isWrong) focusFirstInvalid(form.current)
    else if (live) setConfirming(true)
    else void register()
  }

  if (afterwards.length > 0)
    return (
      <WorthKnowing warnings={afterwards} onDone={onDone}>
        The hook for <span className="data">{draft.event}</span> is registered.
      </WorthKnowing>
    )
  return (
    <form ref={form} className="flex flex-col gap-3.5" noValidate onSubmit={submit}>
      <SelectField
        label="Environment"
        hint={live ? liveHint(draft.environment) : environment?.baseUrl}
        value={draft.environment}
        onChange={(name) => {
          change({ environment: name })
        }}
      >
        {environments.map(({ name, mode }) => (
          <option key={name} value={name}>
            {name} ({mode})
          </option>
        ))}
      </SelectField>
      <HookFields draft={draft} onChange={change} shows={shows} {...advice} findings={findingsNow(advice, problem)} />
      <Warnings warnings={advice.warnings} />
      {problem !== null && <ProblemView problem={problem} covered={problem.code === 'INVALID_HOOK' ? coveredFields : []} />}
      {problem?.code === 'SERVICE_TIMEOUT' && (
        <p className="text-small text-muted">
          The hook may exist all the same. It is kept as unconfirmed in the list, with what to do next.
        </p>
      )}
      {confirming ? (
        <LiveConfirmation
          environment={draft.environment}
          action={busy ? 'Registering…' : `Register in ${draft.environment} (live)`}
          busy={busy}
          onConfirm={() => void register()}
          onBack={() => {
            setConfirming(false)
          }}
        >
          The service will send each live {draft.event} to {(draft.url ?? advice.proposed.url) || 'an address of this receiver'}.
        </LiveConfirmation>
      ) : (
        <FormFoot
          onCancel={onDone}
          action={`Register in ${draft.environment}${live ? ' (live)' : ''}`}
          busyWords="Registering…"
          busy={busy}
        />
      )}
    </form>
  )
}

function liveHint(environment: string): string {
  return isOfSandbox(environment)
    ? 'The live side of the sandbox: no real cards or money, and asked for as if there were.'
    : 'Live: real cards and money. Registering asks once more.'
}
