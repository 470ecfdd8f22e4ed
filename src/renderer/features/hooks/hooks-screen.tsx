/** The Hooks screen: list, URL for new hooks, and the selected hook. */
import { Plus, RefreshCw, Upload } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { counted } from '../../../shared/text/english.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LoadingRows, Message, LoadProblem } from '../../ui/message.tsx'
import { NotFoundPane, SplitPanes } from '../../ui/split-panes.tsx'
import { HookDetail } from './hook-detail.tsx'
import { hiddenGroupOf, hooksInOrder, useSelectedHook, type HiddenHooks } from './hook-facts.tsx'
import { PublicUrlBar } from './public-url-bar.tsx'
import { HookTable } from './hook-list.tsx'

export function HooksScreen() {
  const { hooks, hookId, isLoaded, problem, readAgain } = useAppParts(({ core, navigation }) => ({
    hooks: core.hooks,
    hookId: navigation.at.hooks.id,
    isLoaded: core.status !== null,
    problem: core.problem,
    readAgain: core.readAgain,
  }))
  const [shownGroups, setShownGroups] = useState<readonly HiddenHooks[]>([])
  const listed = hooksInOrder(hooks).filter((hook) => {
    const group = hiddenGroupOf(hook)
    return group === null || shownGroups.includes(group) || hook.id === hookId
  })
  const isMissing = hookId !== undefined && hooks.every(({ id }) => id !== hookId)
  const selected = useSelectedHook()
  const shown = isMissing ? null : selected
  if (!isLoaded)
    return (
      <Pane count={null}>
        {problem === null ? (
          <LoadingRows label="Loading hooks" count={6} columns={['w-20', 'w-40', 'flex-1']} />
        ) : (
          <LoadProblem title="Couldn't load hooks" problem={problem} onAgain={readAgain} />
        )}
      </Pane>
    )
  const list = (
    <Pane count={hooks.filter((hook) => hiddenGroupOf(hook) === null).length}>
      <PublicUrlBar />
      {listed.length === 0 ? (
        <div className="min-h-0 flex-1 overflow-auto px-8 pt-12">
          <NoHooks />
        </div>
      ) : (
        <HookTable hooks={listed} shownId={shown?.id ?? null} />
      )}
      <HiddenGroups hooks={hooks} shown={shownGroups} onShow={setShownGroups} />
    </Pane>
  )
  return shown === null && !isMissing ? (
    list
  ) : (
    <SplitPanes
      name="hooks"
      first={{ id: 'hooks', content: list }}
      second={{
        id: 'hook',
        defaultSize: '46%',
        content:
          shown === null ? (
            <NotFoundPane what="Hook" name={hookId ?? ''} />
          ) : (
            <HookDetail key={shown.id} hook={shown} />
          ),
      }}
      resize="Resize hook details"
    />
  )
}

const groupWords: Readonly<Record<HiddenHooks, (count: number) => string>> = {
  deleted: (count) => `${count} deleted`,
  flows: (count) => `${counted(count, 'hook')} made by flows`,
}

/** Shows a switch for each group of hidden hooks; empty without any. */
function HiddenGroups({
  hooks,
  shown,
  onShow,
}: {
  readonly hooks: readonly Hook[]
  readonly shown: readonly HiddenHooks[]
  readonly onShow: (groups: readonly HiddenHooks[]) => void
}) {
  const groups = Map.groupBy(hooks, hiddenGroupOf)
  const offered = (['deleted', 'flows'] as const).filter((group) => groups.has(group))
  if (offered.length === 0) return null
  return (
    <footer className="flex shrink-0 flex-wrap border-t border-line px-2 py-1">
      {offered.map((group) => {
        const isShown = shown.includes(group)
        const words = groupWords[group](groups.get(group)?.length ?? 0)
        return (
          <Button
            key={group}
            kind="quiet"
            className="text-small"
            aria-pressed={isShown}
            onClick={() =>
              onShow(isShown ? shown.filter((one) => one !== group) : [...shown, group])
            }
          >
            {isShown ? `Hide ${words}` : `Show ${words}`}
          </Button>
        )
      })}
    </footer>
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

/**
 * Shows the title with the number of hooks in use; null while loading, which disables the buttons.
 */
function Heading({ count }: { readonly count: number | null }) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <header className="window-drag @container flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4">
      <h1 className="text-title font-medium">Hooks</h1>
      <span className="min-w-0 flex-1 truncate text-small text-subtle tabular-nums">
        {count !== null && count > 0 && counted(count, 'hook')}
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
