/** The dialogs of hooks: register, edit, import, sync, new secret and delete. */
import { useState, type ReactNode } from 'react'
import { hookCommands } from '../../../shared/contract/nouns/hooks.ts'
import {
  hookImportSchema,
  hookSyncInputSchema,
  syncSummary,
  type Hook,
  type HookSync,
} from '../../../shared/model/hook.ts'
import { syncOutcomes } from '../../../shared/model/service-outcomes.ts'
import type { Overlay } from '../../ui-state/navigation-slice.ts'
import { useApp } from '../../ui-state/use-app.ts'
import type { Finding } from '../../ui/call-problem.ts'
import { TextField } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { InputFields, InputForm, useInputForm } from '../../connected/input-form.tsx'
import { EnvironmentName, OutcomeMark } from '../../ui/outcome-mark.tsx'
import { ActionForm, OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { useCall } from '../../ui/use-call.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { HookForm } from './hook-form.tsx'
import { useSelectedHook } from './hook-facts.tsx'
import { PublicUrlDialog } from './public-url-dialog.tsx'
import { useHookEnvironments } from './use-environments.ts'
import { SavedWithWarnings } from './warnings.tsx'
import { DoneFoot } from '../../ui/form-foot.tsx'

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
      <SelectedHookDialog
        overlay="edit-hook"
        title={() => 'Edit hook'}
        description="Saving replaces the entire hook."
      >
        {(of, close) => <HookForm hook={of} onDone={close} />}
      </SelectedHookDialog>
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
      <SelectedHookDialog
        overlay="delete-hook"
        title={({ status }) => (status === 'deleted' ? 'Remove hook for good' : 'Delete hook')}
      >
        {(of, close) => <DeleteForm hook={of} onDone={close} />}
      </SelectedHookDialog>
      <SelectedHookDialog
        overlay="rotate-secret"
        title={({ secretHint }) => (secretHint === null ? 'Add secret' : 'Rotate secret')}
        description="Enter the secret that the service signs with. Nothing is sent to the service."
      >
        {(of, close) => <SecretForm hook={of} onDone={close} />}
      </SelectedHookDialog>
      <PublicUrlDialog />
    </>
  )
}

/** Shows a dialog about the selected hook. */
function SelectedHookDialog({
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

/** Adds a hook created elsewhere. */
function ImportForm({ onDone }: FormProps) {
  const { current, isLive } = useHookEnvironments()
  const { event: givenEvent = 'transaction.auth', url: givenUrl } = useApp(
    (state) => state.hooks.initialValues,
  )
  const call = useCall()
  const [afterwards, setAfterwards] = useState<readonly Finding[]>([])
  const form = useInputForm<typeof hookImportSchema, { readonly warnings: readonly Finding[] }>({
    schema: hookImportSchema,
    begin: () => ({ event: givenEvent, url: givenUrl, environment: current }),
    submit: (input) => call('hooks.import', input),
    onDone({ warnings }) {
      if (warnings.length === 0) onDone()
      else setAfterwards(warnings)
    },
  })
  const { event } = form.input
  if (afterwards.length > 0)
    return (
      <SavedWithWarnings warnings={afterwards} onDone={onDone}>
        {afterwards.some(({ rule }) => rule === 'already-imported') ? (
          'Nothing to import.'
        ) : (
          <>
            Hook for <span className="data">{event}</span> imported.
          </>
        )}
      </SavedWithWarnings>
    )
  return (
    <InputForm
      form={form}
      live={isLive(form.input)}
      action="Import hook"
      busyWords="Importing…"
      onCancel={onDone}
    />
  )
}

/**
 * Compares an environment's hooks with those that the service lists; a second step applies the
 * changes.
 */
function SyncForm({ onDone }: FormProps) {
  const { current, isLive } = useHookEnvironments()
  const call = useCall()
  const hook = useSelectedHook()
  const [result, setResult] = useState<HookSync | null>(null)
  const form = useInputForm<typeof hookSyncInputSchema, HookSync>({
    schema: hookSyncInputSchema,
    begin: () => ({ environment: hook?.environment ?? current }),
    submit: (input) => call('hooks.sync', { ...input, dryRun: result === null }),
    onDone: setResult,
    onChange: () => setResult(null),
  })
  const isOver = result?.applied === true || result?.hooks.some(({ changes }) => changes) === false
  return (
    <form className="flex flex-col gap-3.5" {...form.formProps}>
      <InputFields form={form} />
      {result !== null && <Compared result={result} />}
      {isOver ? (
        <DoneFoot onDone={onDone} />
      ) : (
        <FormEnd
          form={form}
          live={isLive(form.input)}
          action={result === null ? 'Compare' : 'Apply'}
          busyWords="Asking the service…"
          onCancel={onDone}
        />
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
              <OutcomeMark outcome={syncOutcomes[state]} />
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

const rotation = hookCommands['hooks.rotate'].input

/** Sets a hook's new secret. Deliveries signed with previous secrets still verify. */
function SecretForm({ hook, onDone }: FormProps & { readonly hook: Hook }) {
  const call = useCall()
  const form = useInputForm({
    schema: rotation,
    submit: ({ secret }) => call('hooks.rotate', { id: hook.id, secret }),
    onDone,
  })
  return (
    <InputForm
      form={form}
      extra={{
        secret: {
          hint:
            hook.secretHint === null
              ? 'The secretKey returned when the hook was created'
              : `Deliveries signed with the current secret (${hook.secretHint}) still verify`,
        },
      }}
      live={hook.mode === 'live'}
      action="Use this secret"
      busyWords="Saving…"
      onCancel={onDone}
    />
  )
}

/**
 * Deletes a hook at the service, or a deleted one for good. A live hook needs its event typed to
 * confirm.
 */
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
        const outcome = await call('hooks.remove', { id: hook.id, purge: isDeleted })
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
