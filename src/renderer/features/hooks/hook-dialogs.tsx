/** Registers a hook through the service's API. Findings appear at their fields while typing. */
import { useState, useEffect } from 'react'
import { environmentChoices, isOfSandbox } from '../../state/environments.ts'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { useCall } from '../../ui/use-outcome.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import type { Finding } from '../../ui/call-problem.ts'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useForm } from '../../ui/use-form.ts'
import { coveredFields, HookFields, useHookCheck } from './hook-fields.tsx'
import {
  draftOfHook,
  findingsNow,
  inputOfDraft,
  newHookDraft,
  repeatedHeaders,
  type HookDraft,
  updateOfDraft,
} from './hook-form.ts'
import { Warnings, WorthKnowing } from './warnings.tsx'
import type { Hook } from '../../../shared/model/hook.ts'
import type { FieldFinding } from '../../ui/finding-text.tsx'
import { useSelectedHook } from './use-selected-hook.ts'

export function RegisterHookDialog() {
  const setDraft = useApp((state) => state.hooks.setDraft)
  return (
    <OverlayDialog
      overlay="register-hook"
      onClose={() => setDraft(null)}
      title="Register hook"
      description="Subscribes a URL to an event and saves its signing secret."
    >
      {(close) => <RegisterForm onDone={close} />}
    </OverlayDialog>
  )
}

function RegisterForm({ onDone }: { readonly onDone: () => void }) {
  const environments = useApp((state) => state.core.environments)
  const from = useApp((state) => state.hooks.draft)
  const select = useApp((state) => state.navigation.select)
  const call = useCall()
  const current = environments.find((environment) => environment.current) ?? environments[0]
  const [afterwards, setAfterwards] = useState<readonly Finding[]>([])
  const environmentOf = (draft: HookDraft) =>
    environments.find(({ name }) => name === draft.environment)
  const isLive = (draft: HookDraft) => environmentOf(draft)?.mode === 'live'
  const form = useForm<HookDraft, OutputOf<'hooks.add'>>({
    begin: () => (from === null ? newHookDraft(current?.name ?? '') : draftOfHook(from)),
    check: ({ headers }) => [
      ...(advice.current ? advice.findings : []),
      ...repeatedHeaders(headers),
    ],
    confirms: isLive,
    submit: (draft) =>
      call('hooks.add', { ...inputOfDraft(draft, advice.proposed), live: isLive(draft) }),
    onDone({ hook, warnings }) {
      select('hooks', { id: hook.id })
      if (warnings.length === 0) onDone()
      else setAfterwards(warnings)
    },
  })
  const { draft, change, busy, problem } = form
  const advice = useHookCheck(draft)
  const environment = environmentOf(draft)
  const live = isLive(draft)
  const shows = (field: string) => field === 'event' || form.isTouched(field.split('.')[0] ?? field)

  if (afterwards.length > 0)
    return (
      <WorthKnowing warnings={afterwards} onDone={onDone}>
        Hook for <span className="data">{draft.event}</span> registered.
      </WorthKnowing>
    )
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <SelectField
        label="Environment"
        hint={live ? liveHint(draft.environment) : environment?.baseUrl}
        choices={environmentChoices(environments)}
        value={draft.environment}
        onChange={(name) => change({ environment: name })}
      />
      <HookFields
        draft={draft}
        onChange={change}
        shows={shows}
        {...advice}
        findings={findingsNow(advice, problem)}
      />
      <Warnings warnings={advice.warnings} />
      {problem !== null && (
        <ProblemView
          problem={problem}
          covered={problem.code === 'INVALID_HOOK' ? coveredFields : []}
        />
      )}
      {problem?.code === 'SERVICE_TIMEOUT' && (
        <p className="text-small text-muted">It's listed as unconfirmed, with next steps.</p>
      )}
      {form.confirming ? (
        <LiveConfirmation
          environment={draft.environment}
          action={busy ? 'Registering…' : `Register in ${draft.environment} (live)`}
          busy={busy}
          onConfirm={form.send}
          onBack={form.back}
        >
          The service will send each live {draft.event} to{' '}
          {(draft.url ?? advice.proposed.url) || 'a URL of this receiver'}.
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
    ? 'Live mode of the sandbox: no real cards or money, but the same confirmations.'
    : "Live: real cards and money. You'll be asked to confirm."
}

// Edits a hook at the service: event, URL, program and custom headers. Offer and environment can't change.

export function EditHookDialog() {
  const hook = useSelectedHook()
  return (
    <OverlayDialog
      overlay="edit-hook"
      ready={hook !== null}
      title="Edit hook"
      description="Saving replaces the entire hook."
    >
      {(close) => hook !== null && <EditForm hook={hook} onDone={close} />}
    </OverlayDialog>
  )
}

function EditForm({ hook, onDone }: { readonly hook: Hook; readonly onDone: () => void }) {
  const { editUrl, clearDrafts } = useParts('hooks', 'editUrl', 'clearDrafts')
  const call = useCall()
  useEffect(() => clearDrafts, [clearDrafts])
  const [afterwards, setAfterwards] = useState<readonly Finding[]>([])
  const live = hook.mode === 'live'
  const form = useForm<HookDraft, { readonly warnings: readonly Finding[] }>({
    begin: () => draftOfHook(editUrl === null ? hook : { ...hook, url: editUrl }),
    check: ({ headers }): readonly FieldFinding[] => [
      ...(advice.current ? findings : []),
      ...repeatedHeaders(headers),
    ],
    confirms: () => live,
    submit: (draft) => call('hooks.update', { ...updateOfDraft(hook.id, draft), live }),
    onDone({ warnings }) {
      if (warnings.length === 0) onDone()
      else setAfterwards(warnings)
    },
  })
  const { draft, busy, problem } = form
  const advice = useHookCheck(draft)
  // Checks the draft as a new hook, which would count this hook as another one: ignore findings about the number of hooks.
  const findings = findingsNow(advice, problem).filter(({ rule }) => rule !== 'url-limit')

  if (afterwards.length > 0)
    return (
      <WorthKnowing warnings={afterwards} onDone={onDone}>
        Hook for <span className="data">{hook.event}</span> updated.
      </WorthKnowing>
    )
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <HookFields
        draft={draft}
        onChange={form.change}
        findings={findings}
        shows={() => true}
        programs={advice.programs}
        proposed={advice.proposed}
        offer={hook.offerId === null ? <></> : <FixedOffer offerId={hook.offerId} />}
      />
      <Warnings warnings={advice.warnings} />
      {problem !== null && (
        <ProblemView
          problem={problem}
          covered={problem.code === 'INVALID_HOOK' ? coveredFields : []}
        />
      )}
      {form.confirming ? (
        <LiveConfirmation
          environment={hook.environment}
          action={busy ? 'Saving…' : `Save in ${hook.environment} (live)`}
          busy={busy}
          onConfirm={form.send}
          onBack={form.back}
        >
          Live {draft.event} deliveries will go to {draft.url}.
        </LiveConfirmation>
      ) : (
        <FormFoot
          onCancel={onDone}
          action={`Save in ${hook.environment}${live ? ' (live)' : ''}`}
          busyWords="Saving…"
          busy={busy}
        />
      )}
    </form>
  )
}

function FixedOffer({ offerId }: { readonly offerId: string }) {
  return (
    <TextField
      label="Offer ID"
      hint="Can't be changed: updates accept only program, event, URL and headers (spec 4.1). Delete the hook and register a new one instead."
      readOnly
      value={offerId}
      onChange={() => undefined}
    />
  )
}
