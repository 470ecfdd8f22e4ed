/** The Hooks screen: list, receiver URL, selected hook and all hook dialogs. */
import { Download, Plus, RefreshCw } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import { useCall } from '../../ui/use-outcome.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LoadingRows, Message, NotRead } from '../../ui/message.tsx'
import { SplitPanes } from '../../ui/split-panes.tsx'
import { HookDetail } from './hook-detail.tsx'
import { hooksInOrder, HookStatus, kindWords } from './hook-status.tsx'
import { ImportHookDialog } from './import-hook-dialog.tsx'
import { PublicAddressDialog } from './public-address-dialog.tsx'
import { SyncHooksDialog } from './sync-hooks-dialog.tsx'
import { PublicAddress } from './public-address.tsx'
import { RegisterHookDialog, EditHookDialog } from './hook-dialogs.tsx'
import { SendLiveDialog } from './hook-deliveries.tsx'
import { z } from 'zod'
import type { Hook } from '../../../shared/model/hook.ts'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { ActionForm, OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { SecretField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { bySchema, useForm } from '../../ui/use-form.ts'
import { useSelectedHook } from './use-selected-hook.ts'
import { EnvironmentName } from '../../ui/outcome-mark.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { Middle } from '../../ui/middle.tsx'
import { ago, exactTime } from '../../ui/moment.ts'
import { useNow } from '../../ui/use-now.ts'
import { failureCount, failureWords, noActivity, useHookActivity } from './hook-activity.ts'

export function HooksScreen() {
  const { hooks, hookId, known, problem, readAgain } = useAppParts(({ core, navigation }) => ({
    hooks: core.hooks,
    hookId: navigation.at.hooks.id,
    known: core.status !== null,
    problem: core.problem,
    readAgain: core.readAgain,
  }))
  const [deletedShown, setDeletedShown] = useState(false)
  const deleted = hooks.filter(({ status }) => status === 'deleted').length
  const listed = hooksInOrder(hooks).filter(
    ({ id, status }) => deletedShown || status !== 'deleted' || id === hookId,
  )
  const shown = listed.find(({ id }) => id === hookId) ?? listed[0]
  const shownId = shown?.id ?? null
  if (!known)
    return (
      <section aria-label="Hooks" className="flex h-full flex-col bg-ground" data-pane="hooks">
        <Heading count={null} />
        {problem === null ? (
          <LoadingRows label="Loading hooks" count={6} columns={['w-20', 'w-40', 'flex-1']} />
        ) : (
          <div className="px-8 pt-12">
            <NotRead title="Couldn't load hooks" problem={problem} onAgain={readAgain} />
          </div>
        )}
      </section>
    )
  if (hooks.length === 0)
    return (
      <section aria-label="Hooks" className="flex h-full flex-col bg-ground" data-pane="hooks">
        <Heading count={0} />
        <PublicAddress />
        <div className="px-8 pt-12">
          <NoHooks />
        </div>
      </section>
    )
  const list = (
    <section
      aria-label="Hooks"
      className="flex h-full min-w-0 flex-col bg-ground"
      data-pane="hooks"
    >
      <Heading count={hooks.length - deleted} />
      <PublicAddress />
      <HookTable hooks={listed} shownId={shownId} />
      {deleted > 0 && (
        <footer className="shrink-0 border-t border-line px-2 py-1">
          <Button
            kind="quiet"
            className="text-small"
            aria-pressed={deletedShown}
            onClick={() => setDeletedShown(!deletedShown)}
          >
            {deletedShown ? 'Hide deleted' : `Show ${deleted} deleted`}
          </Button>
        </footer>
      )}
    </section>
  )
  return (
    <SplitPanes
      name="hooks"
      first={{ id: 'hooks', content: list }}
      second={
        shown === undefined
          ? null
          : { id: 'hook', defaultSize: '46%', content: <HookDetail hook={shown} /> }
      }
      resize="Resize hook details"
    />
  )
}

/** `count`: hooks in use. Null while loading, which disables the buttons. */
function Heading({ count }: { readonly count: number | null }) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <header className="window-drag @container flex h-11 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4">
      <h1 className="text-title font-medium">Hooks</h1>
      <span className="min-w-0 flex-1 truncate text-small text-subtle tabular-nums">
        {count !== null && count > 0 && (
          <>
            {count}
            <span className="@max-[520px]:sr-only"> {count === 1 ? 'hook' : 'hooks'}</span>
          </>
        )}
      </span>
      <Button
        icon={<RefreshCw size={13} aria-hidden />}
        title="Sync hooks with the service"
        disabled={count === null}
        onClick={() => openOverlay('sync-hooks')}
      >
        <span className="@max-[520px]:sr-only">Sync</span>
      </Button>
      <Button
        icon={<Download size={13} aria-hidden />}
        title="Import hook"
        disabled={count === null}
        onClick={() => openOverlay('import-hook')}
      >
        <span className="@max-[520px]:sr-only">Import hook</span>
      </Button>
      <Button
        kind="primary"
        icon={<Plus size={14} aria-hidden />}
        disabled={count === null}
        onClick={() => openOverlay('register-hook')}
      >
        Register hook
      </Button>
    </header>
  )
}

function NoHooks() {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <Message
      title="No hooks yet"
      action={
        <>
          <Button kind="primary" onClick={() => openOverlay('register-hook')}>
            Register your first hook…
          </Button>
          <Button onClick={() => openOverlay('import-hook')}>Import an existing hook…</Button>
        </>
      }
    >
      A hook is a URL registered for one event, with a secret that signs its deliveries. Register
      one in the local sandbox (no account needed), or import one you created elsewhere to verify
      and debug its signatures.
    </Message>
  )
}

export function HookDialogs() {
  return (
    <>
      <RegisterHookDialog />
      <ImportHookDialog />
      <EditHookDialog />
      <SyncHooksDialog />
      <DeleteHookDialog />
      <RotateSecretDialog />
      <SendLiveDialog />
      <PublicAddressDialog />
    </>
  )
}

// Sets a hook's new secret. Deliveries signed with previous secrets still verify.

function RotateSecretDialog() {
  const hook = useSelectedHook()
  return (
    <OverlayDialog
      overlay="rotate-secret"
      ready={hook !== null}
      title={hook?.secretHint === null ? 'Add secret' : 'Rotate secret'}
      description="Enter the secret that the service signs with. Nothing is sent to the service."
    >
      {(close) => hook !== null && <RotateForm hook={hook} onDone={close} />}
    </OverlayDialog>
  )
}

const checkSecret = bySchema(z.object({ secret: z.string().min(1, 'Enter the new secret.') }))

function RotateForm({ hook, onDone }: { readonly hook: Hook; readonly onDone: () => void }) {
  const call = useCall()
  const live = hook.mode === 'live'
  const form = useForm({
    begin: () => ({ secret: '' }),
    check: checkSecret,
    confirms: () => live,
    submit: ({ secret }) => call('hooks.rotate', { id: hook.id, secret, live }),
    onDone,
  })
  const { busy, problem } = form
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
      {problem !== null && <ProblemView problem={problem} />}
      {form.confirming ? (
        <LiveConfirmation
          environment={hook.environment}
          action={busy ? 'Saving…' : `Use this secret in ${hook.environment} (live)`}
          busy={busy}
          onConfirm={form.send}
          onBack={form.back}
        >
          Replays and forwarded deliveries of {hook.event} are signed with it. If it's wrong, new
          live deliveries show as invalid.
        </LiveConfirmation>
      ) : (
        <FormFoot
          onCancel={onDone}
          action={`Use this secret${live ? ' (live)' : ''}`}
          busyWords="Saving…"
          busy={busy}
        />
      )}
    </form>
  )
}

// Deletes a hook at the service, or a deleted one for good. A live hook needs its event typed to confirm.

function DeleteHookDialog() {
  const hook = useSelectedHook()
  return (
    <OverlayDialog
      overlay="delete-hook"
      ready={hook !== null}
      title={hook?.status === 'deleted' ? 'Remove hook for good' : 'Delete hook'}
    >
      {(close) => hook !== null && <DeleteForm hook={hook} onDone={close} />}
    </OverlayDialog>
  )
}

function DeleteForm({ hook, onDone }: { readonly hook: Hook; readonly onDone: () => void }) {
  const call = useCall()
  const isDeleted = hook.status === 'deleted'
  const [typed, setTyped] = useState('')
  const live = hook.mode === 'live'
  return (
    <ActionForm
      call={() =>
        call('hooks.remove', { id: hook.id, live, ...(isDeleted ? { purge: true } : {}) })
      }
      onDone={onDone}
      action={`${isDeleted ? 'Remove' : 'Delete'} ${visibleText(hook.event)} hook${live ? ' (live)' : ''}`}
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
          label={`Type ${hook.event} to ${isDeleted ? 'remove' : 'delete'} the hook in ${hook.environment} (live)`}
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

// The list of hooks. Arrow keys move between rows; Enter or a click selects one.

function HookTable({
  hooks,
  shownId,
}: {
  readonly hooks: readonly Hook[]
  readonly shownId: string | null
}) {
  return (
    <div
      className="@container min-h-0 flex-1 overflow-auto"
      tabIndex={-1}
      role="region"
      aria-label="Hook list"
    >
      <table className="w-full table-fixed border-collapse text-left">
        <thead>
          <tr className="sticky top-0 z-10 h-7 bg-surface text-tiny text-subtle shadow-[inset_0_-1px_0_var(--line)]">
            <th className="w-[128px] pl-4 font-medium @max-[420px]:w-10">
              <span className="@max-[420px]:sr-only">Status</span>
            </th>
            <th className="font-medium">Event and registered URL</th>
            <th className="w-[156px] font-medium @max-[480px]:w-[148px]">Environment</th>
            <th className="w-[100px] font-medium whitespace-nowrap @max-[480px]:hidden">
              Last delivery
            </th>
            <th
              className="w-[92px] pr-4 text-right font-medium @max-[560px]:hidden"
              title="Recent deliveries that weren't acknowledged"
            >
              Failed
            </th>
          </tr>
        </thead>
        <tbody>
          {hooks.map((hook) => (
            <HookRow key={hook.id} hook={hook} shown={hook.id === shownId} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function HookRow({ hook, shown }: { readonly hook: Hook; readonly shown: boolean }) {
  const select = useApp((state) => state.navigation.select)
  const read = useHookActivity(hook).activity
  const activity = read ?? noActivity
  const [last] = activity.deliveries
  const show = () => select('hooks', { id: hook.id })
  return (
    <tr
      onClick={show}
      className={`h-11 border-b border-line/50 ${shown ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-raised'} ${hook.status === 'deleted' ? 'text-muted' : ''}`}
    >
      <td className="pl-4 @max-[420px]:overflow-hidden">
        <HookStatus status={hook.status} />
      </td>
      <td className="overflow-hidden pr-4 leading-4">
        <span className="flex items-baseline gap-2">
          <button
            type="button"
            data-hook-row
            tabIndex={shown ? 0 : -1}
            aria-pressed={shown}
            onClick={show}
            onKeyDown={moveBetweenRows}
            className="data min-w-0 truncate rounded-small"
            title={visibleText(hook.event)}
          >
            {visibleText(hook.event)}
          </button>
          <span
            className="shrink-0 text-tiny text-subtle @max-[480px]:hidden"
            title={kindWords(hook.kind)}
          >
            {hook.kind ?? 'unknown kind'}
          </span>
        </span>
        <Middle
          text={withoutScheme(hook.url)}
          title={hook.url}
          tail={14}
          className="data text-subtle"
        />
      </td>
      <td className="overflow-hidden pr-3">
        <EnvironmentName name={hook.environment} mode={hook.mode} />
      </td>
      <td className="truncate pr-3 text-muted @max-[480px]:hidden">
        {last === undefined ? (
          read !== null && <span className="text-subtle">None yet</span>
        ) : (
          <Ago iso={last.receivedAt} />
        )}
      </td>
      <td
        title={failureWords(activity) ?? undefined}
        className={`data truncate pr-4 text-right @max-[560px]:hidden ${activity.failed > 0 ? 'text-bad' : 'text-muted'}`}
      >
        {failureCount(activity)}
      </td>
    </tr>
  )
}

/** Hooks always use HTTPS (spec 2.1), so a narrow column leaves out the scheme. */
function withoutScheme(url: string): string {
  return url.replace(/^https:\/\//, '')
}

function Ago({ iso }: { readonly iso: string }) {
  return <span title={exactTime(iso)}>{ago(iso, useNow(5_000))}</span>
}

/** A single tab stop for the list. Arrow keys move between rows and select them. */
function moveBetweenRows(event: KeyboardEvent<HTMLButtonElement>): void {
  const rows = [
    ...(event.currentTarget.closest('tbody')?.querySelectorAll<HTMLElement>('[data-hook-row]') ??
      []),
  ]
  const at = rows.findIndex((row) => row === event.currentTarget)
  const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]
  const row = target === undefined ? undefined : rows[target]
  if (row === undefined) return
  event.preventDefault()
  row.focus()
  row.click()
}
