/** The window: rail, screen, status bar, and overlays. */
import { Tooltip } from '@base-ui/react/tooltip'
import { Command, type LucideIcon, Unplug, X } from 'lucide-react'
import { type ReactNode, useEffect, useLayoutEffect } from 'react'
import { fileKindOf } from '../../shared/model/file-kind.ts'
import { suggestsLimit } from '../../shared/model/retention.ts'
import { shellWord } from '../../shared/snippets/curl.ts'
import { VerifyRequestDialog } from '../features/detail/index.ts'
import { ExportDialog, ImportDialog } from '../features/import-export/index.ts'
import { Tour } from '../features/tour/index.ts'
import { droppedFile } from '../features/flows/index.ts'
import { ForwardDialogs, HandlerDialog } from '../features/handlers/index.ts'
import { HookDialogs } from '../features/hooks/index.ts'
import { LIST_ID, MarksDialogs, ViewDialogs } from '../features/list/index.ts'
import { ConsentDialog } from '../ui/consent-dialog.tsx'
import { ReplayDialogs, ReplayProgress } from '../features/replay/index.ts'
import {
  EnvironmentDialog,
  RemoveEnvironmentDialog,
  ShortcutTable,
  UpdateDialog,
  UpdateFoot,
} from '../features/settings/index.ts'
import { screens } from '../screens.ts'
import { useApp, useAppParts, useAppStore } from '../ui-state/use-app.ts'
import { browserFile } from '../ui-state/user-file.ts'
import { Banner } from '../ui/message.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { DeliveryMenu } from '../ui/delivery-menu.tsx'
import { OverlayDialog } from '../ui/overlay-dialog.tsx'
import { FileDrop } from '../ui/file-input.tsx'
import { byteSize } from '../ui/moment.ts'
import { CommandPalette } from './command-palette.tsx'
import { FailuresFoot, RecentFailures } from './toasts.tsx'
import { Button, Hint, IconButton } from '../ui/button.tsx'
import { createKeyReader, pressOf } from '../ui-state/key-map.ts'
import { isApple } from '../ui/keys.tsx'
import { runAction, screenParts } from './commands.ts'
import { type Screen, screenNames } from '../ui-state/routes.ts'

/** Applies the theme to the document: the system's, or the chosen one. */
function useTheme(): void {
  const theme = useApp((state) => state.preferences.theme)
  useLayoutEffect(() => {
    const light = matchMedia('(prefers-color-scheme: light)')
    const apply = () => {
      document.documentElement.dataset['theme'] =
        theme === 'system' ? (light.matches ? 'light' : 'dark') : theme
    }
    apply()
    light.addEventListener('change', apply)
    return () => light.removeEventListener('change', apply)
  }, [theme])
}

/** Whether a JSON file has requests of another tool, and not a flow's steps. */
async function hasRequests(file: File): Promise<boolean> {
  const start = await file.slice(0, 65_536).text()
  return /headers?"\s*:/i.test(start) && !/"steps"\s*:/.test(start)
}

/** Takes a file dropped anywhere on the window: a flow opens, an export is imported. Any other file is what the screen shows. */
function WindowDrop({ children }: { readonly children: ReactNode }) {
  const { onFlows, startImport, openFlow, go } = useAppParts((state) => ({
    onFlows: state.navigation.screen === 'flows',
    startImport: state.importing.start,
    openFlow: state.flows.openFile,
    go: state.navigation.go,
  }))
  return (
    <FileDrop
      words="Drop an export (.jsonl) to import it, or a flow (.json) to open it"
      onDrop={(data) => {
        const [file] = data.files
        if (file === undefined) return
        const isFlow = (fileKindOf(file.name) ?? (onFlows ? 'flow' : 'capture')) === 'flow'
        if (!isFlow) void startImport(browserFile(file))
        else {
          // Only the drop's own event gives it.
          const dropped = droppedFile(data)
          void hasRequests(file).then((hasSome) => {
            if (hasSome) return startImport(browserFile(file))
            go('flows')
            return openFlow(dropped)
          })
        }
      }}
    >
      {children}
    </FileDrop>
  )
}

function StatusBar() {
  const { status, lost } = useAppParts((state) => ({
    status: state.core.status,
    lost: state.core.connection.phase === 'lost',
  }))
  return (
    <footer className="flex h-6 shrink-0 items-center gap-4 border-t border-line bg-surface px-4 text-tiny text-subtle tabular-nums">
      {status !== null && (
        <>
          <Item>
            {status.store.deliveries === 1
              ? '1 delivery'
              : `${status.store.deliveries.toLocaleString('en')} deliveries`}
          </Item>
          <Item>{byteSize(status.store.bytes)} on disk</Item>
          <ReplayProgress />
          <UpdateFoot />
          <FailuresFoot />
          {status.store.search.state === 'filling' && (
            <Item>Indexing search: {status.store.search.left.toLocaleString('en')} left</Item>
          )}
          {status.store.search.state === 'off' && <Item>No search index (slow)</Item>}
          <span className="flex-1" />
          {status.sandbox !== null && (
            <Item>Sandbox at {status.sandbox.replace('https://', '')}</Item>
          )}
          <Item>{lost ? 'Disconnected' : `Countersign ${status.version}`}</Item>
        </>
      )}
    </footer>
  )
}

function Item({ children }: { readonly children: ReactNode }) {
  return <span className="truncate whitespace-nowrap">{children}</span>
}

/** Shown above a window that still works, if some database pages are damaged. */
function DamageBanner() {
  const store = useApp((state) => state.core.status?.store)
  if (store?.state !== 'damaged') return null
  return (
    <Banner tone="bad" title="Some data can't be read.">
      {store.problem}
    </Banner>
  )
}

/** Shown until it is dismissed, if much is stored and no limit is set. */
function LimitSuggestion() {
  const { store, settings, change, go } = useAppParts((state) => ({
    store: state.core.status?.store,
    settings: state.core.settings,
    change: state.settings.change,
    go: state.navigation.go,
  }))
  if (store === undefined || settings.window.limitDismissed === true) return null
  if (!suggestsLimit(store, settings.retention)) return null
  const dismiss = () => void change({ window: { limitDismissed: true } })
  return (
    <Banner
      tone="warn"
      title="All deliveries are kept."
      action={
        <>
          <Button
            onClick={() => {
              dismiss()
              go('settings', { section: 'retention' })
            }}
          >
            Set a limit
          </Button>
          <IconButton icon={X} label="Dismiss" onClick={dismiss} />
        </>
      }
    >
      {store.deliveries.toLocaleString('en')} use {byteSize(store.bytes)}. A limit deletes old ones
      automatically.
    </Banner>
  )
}

function ShortcutsSheet() {
  return (
    <OverlayDialog overlay="shortcuts" title="Keyboard shortcuts" wide>
      {() => (
        // May be taller than the window, so it takes the focus and arrow keys scroll it.
        <div tabIndex={0} role="region" aria-label="All shortcuts">
          <ShortcutTable />
        </div>
      )}
    </OverlayDialog>
  )
}

/** Replaces the whole page when its session has ended. */
function SessionOver() {
  // A page that never connected doesn't know its data folder.
  const dataFolder = useApp((state) => state.core.status?.dataFolder)
  const command =
    dataFolder === undefined
      ? 'npx countersign open'
      : `npx countersign open --data ${shellWord(dataFolder)}`
  return (
    <main className="flex h-full items-start justify-center bg-ground px-6 pt-[18vh]">
      <div className="max-w-[460px] min-w-0">
        <Mark />
        <h1 className="mt-4 text-display font-medium">Signed out</h1>
        <p className="mt-1 text-muted">
          This browser was signed out, or no longer has its key. Open Countersign again with:
        </p>
        <p className="mt-3 flex min-h-9 items-center gap-2 rounded-control border border-line bg-surface py-1.5 pr-1.5 pl-3">
          <code className="data min-w-0 flex-1 wrap-anywhere">{command}</code>
          <CopyButton text={command} label="Copy command" />
        </p>
        {dataFolder === undefined && (
          <p className="mt-2 text-small text-subtle">
            If you started Countersign with --data, add the same option.
          </p>
        )}
      </div>
    </main>
  )
}

export function App() {
  const connection = useApp((state) => state.core.connection)
  const screen = useApp((state) => state.navigation.screen)
  const { Screen } = screenParts[screen]
  useKeyboard()
  useTheme()
  useEffect(() => {
    document.title = `${screens[screen].title} · Countersign`
  }, [screen])
  if (connection.phase === 'over') return <SessionOver />
  if (connection.phase === 'starting') return <StartScreen />
  if (connection.phase === 'failed') return <FailedStartScreen />
  return (
    <Tooltip.Provider delay={500} closeDelay={0}>
      <div className="flex h-full flex-col">
        {connection.phase === 'lost' && (
          <Banner tone="warn" icon={Unplug} title="Connection lost. Reconnecting…">
            The data shown may be out of date.
          </Banner>
        )}
        <DamageBanner />
        <LimitSuggestion />
        <div className="min-h-0 flex-1">
          <WindowDrop>
            <div className="flex h-full min-h-0">
              <Rail />
              <main className="min-w-0 flex-1">
                <Screen />
              </main>
            </div>
          </WindowDrop>
        </div>
        <Tour />
        <StatusBar />
      </div>
      <HookDialogs />
      <HandlerDialog />
      <ForwardDialogs />
      <ViewDialogs />
      <MarksDialogs />
      <DeliveryMenu />
      <ReplayDialogs />
      <ExportDialog />
      <ImportDialog />
      <VerifyRequestDialog />
      <EnvironmentDialog />
      <RemoveEnvironmentDialog />
      <UpdateDialog />
      <ConsentDialog />
      <CommandPalette />
      <ShortcutsSheet />
      <RecentFailures />
    </Tooltip.Provider>
  )
}

// The desktop app's window while its core opens, and the reason if it can't.

/** Appears after a moment: most starts take less, and a flash would only disturb. */
function StartScreen() {
  return (
    <main className="flex h-full items-start justify-center bg-ground px-6 pt-[18vh] window-drag">
      <div className="flex w-full max-w-[460px] items-center gap-4 late">
        <Mark />
        <h1 role="status" className="text-display font-medium">
          Starting Countersign…
        </h1>
      </div>
    </main>
  )
}

/** What happened, what to do, and the ways out. */
function FailedStartScreen() {
  const connection = useApp((state) => state.core.connection)
  const { canShow, show, quit } = useAppParts((state) => ({
    quit: state.settings.quit,
    canShow: state.settings.canShowInFolder,
    show: state.settings.showInFolder,
  }))
  if (connection.phase !== 'failed') return null
  const { reason, details } = connection
  return (
    <main className="flex h-full items-start justify-center overflow-auto bg-ground px-6 py-[14vh]">
      <div className="w-full max-w-[560px] min-w-0">
        <Mark />
        <h1 className="mt-4 text-display font-medium">Couldn't start Countersign</h1>
        <p role="alert" className="mt-1 wrap-anywhere text-muted">
          {reason}
        </p>
        <div className="mt-4 flex flex-wrap items-center gap-2">
          <Button kind="primary" onClick={() => void quit()}>
            Quit
          </Button>
          {canShow && <Button onClick={() => void show('data')}>Open data folder</Button>}
          <CopyButton text={details} label="Copy details" caption="Copy details" />
        </div>
      </div>
    </main>
  )
}

// Listens to the keyboard for the whole window and runs the actions of the key map.

function useKeyboard(): void {
  const store = useAppStore()
  useEffect(() => {
    const read = createKeyReader()
    const onKeyDown = (event: KeyboardEvent) => {
      const state = store.getState()
      if (event.defaultPrevented || event.isComposing) return
      const ofScreen = screenParts[state.navigation.screen].scopes?.(state) ?? []
      const action = read(pressOf(event), {
        inText: isTextField(event.target),
        // An overlay gets almost all keys; it closes itself with Esc.
        inDialog: state.navigation.overlay !== null || isInDialog(event.target),
        listFocus: hasListFocus(event.target),
        singleKeys: state.preferences.singleKeys,
        scopes: ['everywhere', ...ofScreen],
        isApple,
      })
      if (action !== null && runAction(action, store)) event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [store])
}

function isInDialog(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('[role="dialog"], [role="menu"], [data-select]') !== null
  )
}

function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button'].includes(target.type)
  return (
    target instanceof HTMLTextAreaElement ||
    // Letters find a choice of a select.
    (target instanceof Element && target.role === 'combobox') ||
    (target instanceof HTMLElement && target.isContentEditable)
  )
}

function hasListFocus(target: EventTarget | null): boolean {
  return (
    target === document.body ||
    (target instanceof Element && (target.id === LIST_ID || target.hasAttribute('data-flow-place')))
  )
}

// The navigation rail: the product mark and the screens, as icons only in a window below 1,000 pixels.

/** The product's mark: two lines of text, countersigned. */
export function Mark() {
  return (
    <svg
      viewBox="0 0 32 32"
      width="28"
      height="28"
      role="img"
      aria-label="Countersign"
      className="shrink-0"
    >
      <rect width="32" height="32" rx="7" className="fill-accent-solid" />
      <path
        d="M8 11h9M8 21h16"
        className="stroke-on-accent"
        strokeWidth="2.4"
        strokeLinecap="round"
        opacity=".75"
      />
      <path
        d="m12.5 16 3.2 3.2L24 11"
        className="fill-none stroke-on-accent"
        strokeWidth="2.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}

export function Rail() {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <nav
      aria-label="Navigation"
      data-pane="rail"
      className="flex w-[68px] shrink-0 flex-col max-[999px]:w-12 items-center gap-1 border-r border-line bg-surface py-2.5 window-drag rail-inset"
    >
      <Mark />
      <span className="h-2" />
      <Places at="top" />
      <span className="flex-1" />
      <Hint text="Command palette" shortcut="palette" side="right">
        <button
          type="button"
          aria-label="Command palette"
          onClick={() => openOverlay('palette')}
          className="inline-flex size-8 items-center justify-center rounded-control text-subtle hover:bg-control hover:text-text"
        >
          <Command size={16} />
        </button>
      </Hint>
      <Places at="bottom" />
    </nav>
  )
}

function Places({ at }: { readonly at: 'top' | 'bottom' }) {
  return screenNames.map((screen) => {
    const { place } = screens[screen]
    return typeof place === 'object' && place.at === at ? (
      <Place key={screen} screen={screen} Icon={place.Icon} />
    ) : null
  })
}

function Place({ screen, Icon }: { readonly screen: Screen; readonly Icon: LucideIcon }) {
  const { title } = screens[screen]
  const { here, go } = useAppParts(({ navigation }) => ({
    here: [navigation.screen, screens[navigation.screen].place].includes(screen),
    go: navigation.go,
  }))
  return (
    <Hint text={title} shortcut={`go-${screen}`} side="right">
      <button
        type="button"
        aria-current={here ? 'page' : undefined}
        onClick={(event) => {
          // After a click, but not after a key, the next key is for the screen.
          if (event.detail > 0) event.currentTarget.blur()
          go(screen)
        }}
        className={`flex h-12 w-[60px] flex-col max-[999px]:size-10 items-center justify-center gap-0.5 rounded-control ${here ? 'bg-selected text-accent' : 'text-muted hover:bg-control hover:text-text'}`}
      >
        <Icon size={18} strokeWidth={1.75} />
        <span className="text-tiny leading-4 font-medium max-[999px]:sr-only">{title}</span>
      </button>
    </Hint>
  )
}
