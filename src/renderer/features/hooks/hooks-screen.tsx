/** The Hooks screen: list, URL for new hooks, and the selected hook. */
import { Plus, RefreshCw, Upload } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { focusRow } from '../../ui/list.tsx'
import { LoadingRows, Message, NotRead } from '../../ui/message.tsx'
import { Middle } from '../../ui/exact-text.tsx'
import { ago, exactTime, useNow } from '../../ui/moment.ts'
import { EnvironmentName } from '../../ui/outcome-mark.tsx'
import { NotFoundPane, SplitPanes } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { HookDetail } from './hook-detail.tsx'
import {
  failureCount,
  failureWords,
  hooksInOrder,
  HookStatus,
  kindWords,
  noActivity,
  useHookActivity,
} from './hook-facts.tsx'
import { PublicUrlBar } from './public-url.tsx'

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
  const isMissing = hookId !== undefined && hooks.every(({ id }) => id !== hookId)
  const shown = isMissing ? undefined : (listed.find(({ id }) => id === hookId) ?? listed[0])
  if (!known)
    return (
      <Pane count={null}>
        {problem === null ? (
          <LoadingRows label="Loading hooks" count={6} columns={['w-20', 'w-40', 'flex-1']} />
        ) : (
          <div className="px-8 pt-12">
            <NotRead title="Couldn't load hooks" problem={problem} onAgain={readAgain} />
          </div>
        )}
      </Pane>
    )
  const list = (
    <Pane count={hooks.length - deleted}>
      <PublicUrlBar />
      {hooks.length === 0 ? (
        <div className="px-8 pt-12">
          <NoHooks />
        </div>
      ) : (
        <HookTable hooks={listed} shownId={shown?.id ?? null} />
      )}
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
    </Pane>
  )
  return shown === undefined && !isMissing ? (
    list
  ) : (
    <SplitPanes
      name="hooks"
      first={{ id: 'hooks', content: list }}
      second={{
        id: 'hook',
        defaultSize: '46%',
        content:
          shown === undefined ? (
            <NotFoundPane what="Hook" name={hookId ?? ''} />
          ) : (
            <HookDetail key={shown.id} hook={shown} />
          ),
      }}
      resize="Resize hook details"
    />
  )
}

function Pane({
  count,
  children,
}: {
  readonly count: number | null
  readonly children: ReactNode
}) {
  return (
    <section
      aria-label="Hooks"
      className="flex h-full min-w-0 flex-col bg-ground"
      data-pane="hooks"
    >
      <Heading count={count} />
      {children}
    </section>
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
      {(
        [
          ['Sync', 'Sync hooks with the service', RefreshCw, 'sync-hooks'],
          ['Import hook', 'Import hook', Upload, 'import-hook'],
        ] as const
      ).map(([name, title, Icon, overlay]) => (
        <Button
          key={overlay}
          icon={Icon}
          title={title}
          disabled={count === null}
          onClick={() => openOverlay(overlay)}
        >
          <span className="@max-[520px]:sr-only">{name}</span>
        </Button>
      ))}
      <Button
        kind="primary"
        icon={Plus}
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
        <HookStatus hook={hook} />
      </td>
      <td className="overflow-hidden pr-4 leading-4">
        <span className="flex items-baseline gap-2">
          <button
            type="button"
            data-hook-row
            tabIndex={shown ? 0 : -1}
            aria-pressed={shown}
            onClick={show}
            onKeyDown={(event) => focusRow(event, '[data-hook-row]')?.click()}
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
