/** The dialogs of hooks: register, edit, import, sync, new secret and delete. */
import { Plus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { z } from 'zod'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { type Hook, type HookSync, syncSummary } from '../../../shared/model/hook.ts'
import { syncs } from '../../../shared/model/outcomes.ts'
import { isOfSandbox } from '../../state/environments.ts'
import type { Overlay } from '../../state/navigation-slice.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import type { Finding } from '../../ui/call-problem.ts'
import { FormEnd } from '../../ui/consent.tsx'
import { DoneFoot } from '../../ui/dialog.tsx'
import { SecretField, TextField } from '../../ui/field.tsx'
import { EnvironmentName, OutcomeMark } from '../../ui/outcome-mark.tsx'
import type { FieldFinding } from '../../ui/finding-text.tsx'
import { ActionForm, OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { bySchema, useForm } from '../../ui/use-form.ts'
import { useCall } from '../../ui/use-outcome.ts'
import { visibleText } from '../../ui/visible-text.ts'
import {
  coveredFields,
  HookEnvironmentField,
  EventField,
  HookFields,
  useHookCheck,
  Warnings,
  WorthKnowing,
} from './hook-fields.tsx'
import {
  findingsNow,
  inputOfDraft,
  newHookDraft,
  repeatedHeaders,
  updateOfDraft,
  type HookDraft,
} from './hook-form.tsx'
import { useSelectedHook } from './hook-facts.tsx'
import { PublicUrlDialog } from './public-url.tsx'

export function HookDialogs() {
  return (
    <>
      <OverlayDialog
        overlay="register-hook"
        title="Register hook"
        description="Subscribes a URL to an event and saves its signing secret."
      >
        {(close) => <HookForm hook={null} onDone={close} />}
      </OverlayDialog>
      <OfHook
        overlay="edit-hook"
        title={() => 'Edit hook'}
        description="Saving replaces the entire hook."
      >
        {(of, close) => <HookForm hook={of} onDone={close} />}
      </OfHook>
      <OverlayDialog
        overlay="import-hook"
        title="Import hook"
        description="Adds an existing hook so its deliveries can be verified. Nothing is sent to the service."
      >
        {(close) => <ImportForm onDone={close} />}
      </OverlayDialog>
      <OverlayDialog
        overlay="sync-hooks"
        title="Sync hooks"
        description="Compares the hooks here with those that the service lists. Nothing changes at the service."
      >
        {(close) => <SyncForm onDone={close} />}
      </OverlayDialog>
      <OfHook
        overlay="delete-hook"
        title={({ status }) => (status === 'deleted' ? 'Remove hook for good' : 'Delete hook')}
      >
        {(of, close) => <DeleteForm hook={of} onDone={close} />}
      </OfHook>
      <OfHook
        overlay="rotate-secret"
        title={({ secretHint }) => (secretHint === null ? 'Add secret' : 'Rotate secret')}
        description="Enter the secret that the service signs with. Nothing is sent to the service."
      >
        {(of, close) => <SecretForm hook={of} onDone={close} />}
      </OfHook>
      <PublicUrlDialog />
    </>
  )
}

/** A dialog about the selected hook. */
function OfHook({
  title,
  children,
  ...dialog
}: {
  readonly overlay: Overlay
  readonly title: (hook: Hook) => string
  readonly description?: string
  readonly children: (hook: Hook, close: () => void) => ReactNode
}) {
  const hook = useSelectedHook()
  return (
    <OverlayDialog ready={hook !== null} title={hook === null ? '' : title(hook)} {...dialog}>
      {(close) => hook !== null && children(hook, close)}
    </OverlayDialog>
  )
}

interface FormProps {
  readonly onDone: () => void
}

/** The environment that new hooks belong to, unless another is chosen, and whether one is live. */
function useEnvironments() {
  const environments = useApp((state) => state.core.environments)
  return {
    current: (environments.find(({ current }) => current) ?? environments[0])?.name ?? '',
    urlOf: (name: string) => environments.find((one) => one.name === name)?.baseUrl,
    isLive: ({ environment }: { readonly environment: string }) =>
      environments.some(({ name, mode }) => name === environment && mode === 'live'),
  }
}

/** Registers a hook through the service's API, or changes one: event, URL, program and headers. Findings appear while typing. */
function HookForm({ hook, onDone }: FormProps & { readonly hook: Hook | null }) {
  const { current, urlOf, isLive } = useEnvironments()
  const { beginning, select } = useAppParts(({ hooks, navigation }) => ({
    beginning: hooks.beginning,
    select: navigation.select,
  }))
  const call = useCall()
  const [afterwards, setAfterwards] = useState<readonly Finding[]>([])
  const form = useForm<HookDraft, { readonly hook: Hook; readonly warnings: readonly Finding[] }>({
    begin: () => newHookDraft(current, { ...hook, ...beginning }),
    check: ({ headers }): readonly FieldFinding[] => [
      ...(advice.current ? findings : []),
      ...repeatedHeaders(headers),
    ],
    confirms: isLive,
    submit: (draft) =>
      hook === null
        ? call('hooks.add', { ...inputOfDraft(draft, advice.proposed), live: isLive(draft) })
        : call('hooks.update', { ...updateOfDraft(hook.id, draft), live: isLive(draft) }),
    onDone({ hook: { id }, warnings }) {
      select('hooks', { id })
      if (warnings.length === 0) onDone()
      else setAfterwards(warnings)
    },
  })
  const { draft, change, problem } = form
  const { environment, event } = draft
  const advice = useHookCheck(draft)
  // A hook that is edited is checked like a new one, which would count it twice: ignore findings about the number of hooks.
  const findings = findingsNow(advice, problem).filter(
    ({ rule }) => hook === null || rule !== 'url-limit',
  )
  const live = isLive(draft)
  if (afterwards.length > 0)
    return (
      <WorthKnowing warnings={afterwards} onDone={onDone}>
        Hook for <span className="data">{event}</span> {hook === null ? 'registered' : 'updated'}.
      </WorthKnowing>
    )
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      {hook === null && (
        <HookEnvironmentField
          hint={live ? liveHint(environment) : urlOf(environment)}
          {...form.field('environment')}
        />
      )}
      <HookFields
        draft={draft}
        onChange={change}
        shows={(field) =>
          hook !== null || field === 'event' || form.isTouched(field.split('.')[0] ?? field)
        }
        findings={findings}
        programs={advice.programs}
        proposed={advice.proposed}
        offer={
          hook === null ? null : hook.offerId === null ? (
            false
          ) : (
            <TextField
              label="Offer ID"
              hint="Can't be changed: updates accept only program, event, URL and headers (spec 4.1). Delete the hook and register a new one instead."
              readOnly
              value={hook.offerId}
              onChange={() => undefined}
            />
          )
        }
      />
      <Warnings warnings={advice.warnings} />
      {problem?.code === 'SERVICE_TIMEOUT' && hook === null && (
        <p className="text-small text-muted">It's listed as unconfirmed, with next steps.</p>
      )}
      <FormEnd
        form={form}
        live={live ? environment : null}
        covered={problem?.code === 'INVALID_HOOK' ? coveredFields : []}
        action={`${hook === null ? 'Register' : 'Save'} in ${environment}`}
        busyWords={hook === null ? 'Registering…' : 'Saving…'}
        onCancel={onDone}
      >
        The service will send each live {event} to{' '}
        {(draft.url ?? advice.proposed.url) || 'a URL of this receiver'}.
      </FormEnd>
    </form>
  )
}

function liveHint(environment: string): string {
  return isOfSandbox(environment)
    ? 'Live mode of the sandbox: no real cards or money, but the same confirmations.'
    : "Live: real cards and money. You'll be asked to confirm."
}

interface ImportDraft {
  readonly event: string
  readonly url: string
  readonly secret: string
  readonly environment: string
  readonly programId: string
  readonly offerId: string
  readonly remoteId: string
}

const optionalFields = ['environment', 'programId', 'offerId', 'remoteId'] as const
const importFields = ['event', 'url', 'secret', ...optionalFields] as const

/** The import input; `live` confirms a live environment. The secret is not trimmed, because a space may belong to it. */
export function inputOfImport(draft: ImportDraft, live = false): InputOf<'hooks.import'> {
  const filledIn = optionalFields
    .map((name) => [name, draft[name].trim()])
    .filter(([, value]) => value !== '')
  return {
    event: draft.event.trim(),
    url: draft.url.trim(),
    secret: draft.secret,
    live,
    ...(Object.fromEntries(filledIn) as Partial<InputOf<'hooks.import'>>),
  }
}

const text = (message: string) => z.string().trim().min(1, message)

export const missingOfImport = bySchema(
  z.object({
    event: text('Enter the event that the hook is registered for.'),
    url: text('Enter the URL exactly as registered.'),
    secret: z.string().min(1, "Enter the hook's secret."),
  }),
)

/** Adds a hook created elsewhere. */
function ImportForm({ onDone }: FormProps) {
  const { current, isLive } = useEnvironments()
  const { event: givenEvent, url: givenUrl } = useApp((state) => state.hooks.beginning)
  const call = useCall()
  const [more, setMore] = useState(false)
  const [afterwards, setAfterwards] = useState<readonly Finding[]>([])
  const form = useForm<ImportDraft, { readonly warnings: readonly Finding[] }>({
    begin: () => ({
      event: givenEvent ?? 'transaction.auth',
      url: givenUrl ?? '',
      secret: '',
      environment: current,
      programId: '',
      offerId: '',
      remoteId: '',
    }),
    check: missingOfImport,
    confirms: isLive,
    submit: (draft) => call('hooks.import', inputOfImport(draft, isLive(draft))),
    onDone({ warnings }) {
      if (warnings.length === 0) onDone()
      else setAfterwards(warnings)
    },
  })
  const { draft, field } = form
  const { event, url, environment } = draft
  if (afterwards.length > 0)
    return (
      <WorthKnowing warnings={afterwards} onDone={onDone}>
        {afterwards.some(({ rule }) => rule === 'already-imported') ? (
          'Nothing to import.'
        ) : (
          <>
            Hook for <span className="data">{event}</span> imported.
          </>
        )}
      </WorthKnowing>
    )
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <EventField hint="Event that the hook is registered for" {...field('event')} />
      <TextField
        label="Registered URL"
        inputMode="url"
        placeholder="https://"
        hint="Signatures cover this exact text, including any trailing slash"
        {...field('url')}
      />
      <SecretField
        label="Secret"
        hint="The secretKey returned when the hook was created"
        {...field('secret')}
      />
      <HookEnvironmentField {...field('environment')} />
      {more ? (
        <>
          <div className="grid grid-cols-2 gap-3">
            <TextField label="Program ID" optional {...field('programId')} />
            <TextField label="Offer ID" optional {...field('offerId')} />
          </div>
          <TextField
            label="Service ID"
            optional
            hint="Lets you edit and delete the hook from here"
            {...field('remoteId')}
          />
        </>
      ) : (
        <Button icon={Plus} className="self-start" onClick={() => setMore(true)}>
          Add program, offer or service ID
        </Button>
      )}
      <FormEnd
        form={form}
        live={isLive(draft) ? environment : null}
        covered={importFields}
        action="Import hook"
        busyWords="Importing…"
        onCancel={onDone}
      >
        {isOfSandbox(environment)
          ? `The sandbox will send every live ${event} to ${url}.`
          : `Deliveries of ${event} at ${url} will count as live.`}
      </FormEnd>
    </form>
  )
}

/** Compares an environment's hooks with the service's list: first the plan, then the result. */
function SyncForm({ onDone }: FormProps) {
  const { current, isLive } = useEnvironments()
  const call = useCall()
  const hook = useSelectedHook()
  const [result, setResult] = useState<HookSync | null>(null)
  const form = useForm<{ readonly environment: string }, HookSync>({
    begin: () => ({ environment: hook?.environment ?? current }),
    confirms: isLive,
    submit: (draft) =>
      call('hooks.sync', { ...draft, dryRun: result === null, live: isLive(draft) }),
    onDone: setResult,
    onChange: () => setResult(null),
  })
  const { environment } = form.draft
  const isOver = result?.applied === true || result?.hooks.some(({ changes }) => changes) === false
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <HookEnvironmentField {...form.field('environment')} />
      {result !== null && <Compared result={result} />}
      {isOver ? (
        <DoneFoot onDone={onDone} />
      ) : (
        <FormEnd
          form={form}
          live={isLive(form.draft) ? environment : null}
          action={result === null ? 'Compare' : 'Apply'}
          busyWords="Asking the service…"
          onCancel={onDone}
        >
          Its key is sent to the service, which is only asked for its list of hooks.
        </FormEnd>
      )}
    </form>
  )
}

function Compared({ result }: { readonly result: HookSync }) {
  const { hooks, notes } = result
  return (
    <section aria-label="Compared hooks" className="flex flex-col gap-2">
      <p role="status">{syncSummary(result)}</p>
      <ul className="max-h-[46vh] overflow-auto border-t border-line/60 empty:hidden" tabIndex={0}>
        {hooks.map(({ state, event, url, note }, at) => (
          <li key={at} className="flex gap-3 border-b border-line/60 py-1.5">
            <span className="w-28 shrink-0">
              <OutcomeMark outcome={syncs[state]} />
            </span>
            <div className="min-w-0 flex-1">
              <p className="data truncate">{visibleText(event)}</p>
              <p className="data wrap-anywhere text-muted">{visibleText(url)}</p>
              {note !== null && (
                <p className="text-small text-subtle wrap-anywhere">{visibleText(note)}</p>
              )}
            </div>
          </li>
        ))}
      </ul>
      {notes.map((note) => (
        <p key={note} className="text-small text-muted wrap-anywhere">
          {visibleText(note)}
        </p>
      ))}
    </section>
  )
}

const checkSecret = bySchema(z.object({ secret: z.string().min(1, 'Enter the new secret.') }))

/** Sets a hook's new secret. Deliveries signed with previous secrets still verify. */
function SecretForm({ hook, onDone }: FormProps & { readonly hook: Hook }) {
  const call = useCall()
  const live = hook.mode === 'live'
  const form = useForm({
    begin: () => ({ secret: '' }),
    check: checkSecret,
    confirms: () => live,
    submit: ({ secret }) => call('hooks.rotate', { id: hook.id, secret, live }),
    onDone,
  })
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <SecretField
        label="New secret"
        hint={
          hook.secretHint === null
            ? 'The secretKey returned when the hook was created'
            : `Deliveries signed with the current secret (${hook.secretHint}) still verify`
        }
        {...form.field('secret')}
      />
      <FormEnd
        form={form}
        live={live ? hook.environment : null}
        action="Use this secret"
        busyWords="Saving…"
        onCancel={onDone}
      >
        Replays and forwarded deliveries of {hook.event} are signed with it. If it's wrong, new live
        deliveries show as invalid.
      </FormEnd>
    </form>
  )
}

/** Deletes a hook at the service, or a deleted one for good. A live hook needs its event typed to confirm. */
function DeleteForm({ hook, onDone }: FormProps & { readonly hook: Hook }) {
  const call = useCall()
  const select = useApp((state) => state.navigation.select)
  const isDeleted = hook.status === 'deleted'
  const verb = isDeleted ? 'Remove' : 'Delete'
  const [typed, setTyped] = useState('')
  const live = hook.mode === 'live'
  return (
    <ActionForm
      call={async () => {
        const outcome = await call('hooks.remove', { id: hook.id, live, purge: isDeleted })
        if (outcome.ok && isDeleted) select('hooks', {})
        return outcome
      }}
      onDone={onDone}
      action={`${verb} ${visibleText(hook.event)} hook${live ? ' (live)' : ''}`}
      busyWords={isDeleted ? 'Removing…' : 'Deleting…'}
      disabled={live && typed.trim() !== hook.event}
      danger
    >
      <div className="flex flex-col gap-1">
        <p className="flex min-w-0 items-center gap-2">
          <span className="data shrink-0">{visibleText(hook.event)}</span>
          <span className="text-subtle">in</span>
          <EnvironmentName name={hook.environment} mode={hook.mode} />
        </p>
        <p className="data wrap-anywhere text-muted">{visibleText(hook.url)}</p>
      </div>
      <p className="text-muted">{consequenceOf(hook)}</p>
      {live && (
        <TextField
          label={`Type ${hook.event} to ${verb.toLowerCase()} the hook in ${hook.environment} (live)`}
          value={typed}
          onChange={setTyped}
        />
      )}
    </ActionForm>
  )
}

function consequenceOf({ status, remoteId }: Hook): string {
  const kept = 'Deliveries, record and secret stay here.'
  if (status === 'deleted')
    return "Its record and secret are removed from this computer. You can't undo this."
  if (status === 'gone') return `The service no longer has this hook. ${kept}`
  return remoteId === null
    ? `The service's ID of this hook is unknown, so it's only marked as deleted here. Delete it at the service, too. ${kept}`
    : `The service stops sending to this URL. You can't undo this: registering it again creates a new secret. ${kept}`
}
