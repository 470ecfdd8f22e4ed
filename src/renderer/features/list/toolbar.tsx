/** Above the list: capture status and URL, sending a sample, the filter, and display options. */
import {
  ArrowDown,
  ArrowUp,
  ArrowUpToLine,
  Bookmark,
  Columns3,
  Download,
  Ellipsis,
  Pause,
  Play,
  Send,
  ServerCrash,
  ShieldCheck,
  Upload,
  Trash2,
  type LucideIcon,
} from 'lucide-react'
import { type KeyAction, keysOf } from '../../state/key-map.ts'
import { boundedCount } from '../../../shared/text/counted.ts'
import { MOST_SORTED } from '../../../shared/model/delivery.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button, FootButton, IconButton, ToolButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ActionKeys, Keys } from '../../ui/keys.tsx'
import { ButtonMenu, MenuItem, MenuLine, Submenu } from '../../ui/menu.tsx'
import { useWidth } from '../../ui/use-place.ts'
import { ColumnItems, ColumnsMenu } from './column-header.tsx'
import { Filter } from './filter.tsx'
import { isUpToDate, NEWEST_FIRST } from './list-loader.ts'
import { rowCount } from './list-column.ts'
import { HIDDEN, hidesFlowRuns } from './filter-slice.ts'
import { clearWords } from './marks-slice.ts'
import { SaveViewButton, ViewRow } from './saved-views.tsx'

/** Below this width in pixels, the buttons beside the search field are in a menu. */
const NARROW = 520

export function Toolbar() {
  const { ref, width } = useWidth()
  return (
    <div ref={ref} className="@container shrink-0 border-b border-line bg-surface">
      <div className="window-drag flex h-11 items-center gap-3 pr-3 pl-4 @max-[450px]:gap-2">
        <h1 className="sr-only">Deliveries</h1>
        <Capture />
        <span className="flex-1 @max-[450px]:hidden" />
        <SampleButton kind="plain" />
      </div>
      <div className="flex min-h-10 flex-wrap items-center gap-x-2 gap-y-1 pr-3 pb-1 pl-4">
        <Filter>
          <Count />
        </Filter>
        {width !== null && width <= NARROW ? (
          <MoreMenu />
        ) : (
          <div className="flex min-w-0 items-center gap-2">
            <LastFailingButton />
            <SaveViewButton />
            <VerifyButton />
            <ImportButton />
            <ExportButton />
            <ColumnsMenu />
            <DeleteMenu />
            <FollowToggle />
          </div>
        )}
      </div>
      <SearchLag />
    </div>
  )
}

/** The line above the rows, with the views and the number of new rows. It is there with any rows, so that nothing it shows moves or covers one. */
export function ListLine() {
  const isEmpty = useApp(
    (state) => state.core.status?.store.deliveries === 0 && state.filter.applied === '',
  )
  if (isEmpty) return null
  return (
    <div className="@container flex h-9 shrink-0 items-center gap-2 border-b border-line bg-surface px-3">
      <ViewRow />
      <HiddenFlowRuns />
      <Sorting />
      <Unsorted />
      <NewRows />
    </div>
  )
}

/** How many matching deliveries of flow runs the list leaves out, and the way to them. */
function HiddenFlowRuns() {
  const { hidden, showHidden } = useAppParts((state) => ({
    hidden: hidesFlowRuns(state.filter.applied) ? state.views.counts.get(HIDDEN) : undefined,
    showHidden: state.views.showHidden,
  }))
  if (hidden === undefined || hidden.count === 0) return null
  return (
    <p role="status" className="flex shrink-0 items-center gap-1 text-small text-subtle">
      <span className="tabular-nums">{boundedCount(hidden)} from flow runs hidden</span>
      <FootButton onClick={showHidden}>
        Show
        <ActionKeys action="show-hidden" />
      </FootButton>
    </p>
  )
}

/** The list keeps its order until it is sorted. */
function Sorting() {
  const { sorting, sortBy } = useParts('list', 'sorting', 'sortBy')
  if (!sorting) return null
  return (
    <p role="status" className="flex shrink-0 items-center gap-1 text-small text-muted">
      Sorting…
      <FootButton onClick={() => sortBy(NEWEST_FIRST)}>
        Cancel
        <Keys keys="Escape" />
      </FootButton>
    </p>
  )
}

/** Why the list isn't in the order that the user asked for. */
function Unsorted() {
  const unsorted = useApp((state) => state.list.unsorted)
  if (unsorted === null) return null
  return (
    <p role="status" className="min-w-0 truncate text-small text-warn">
      Too many to sort. Narrow the filter to {MOST_SORTED.toLocaleString('en')} deliveries or fewer.
    </p>
  )
}

/** The number of rows that arrived out of view, and the way to them. */
function NewRows() {
  const { unseen, sort, jumpToNewest } = useParts('list', 'unseen', 'sort', 'jumpToNewest')
  if (unseen === 0) return null
  return (
    <button
      type="button"
      onClick={jumpToNewest}
      className="inline-flex h-6.5 shrink-0 items-center gap-1.5 rounded-full bg-accent-solid px-3 text-small font-medium text-on-accent hover:bg-accent-solid-hover"
    >
      {sort.by === 'time' && !sort.descending ? (
        <ArrowDown size={13} aria-hidden />
      ) : (
        <ArrowUp size={13} aria-hidden />
      )}
      <span className="tabular-nums">{unseen.toLocaleString('en')} new</span>
      <span className="@max-[600px]:hidden">
        <Keys keys={keysOf('follow')} />
      </span>
    </button>
  )
}

export function SampleButton({ kind }: { readonly kind: 'primary' | 'plain' }) {
  const { sending, sendSample, canSend } = useAppParts((state) => ({
    sending: state.list.sending,
    sendSample: state.list.sendSample,
    canSend:
      state.core.status?.receiver.state === 'listening' && state.core.connection.phase === 'open',
  }))
  return (
    <Button
      kind={kind}
      icon={<Send size={13} aria-hidden />}
      disabled={!canSend || sending}
      onClick={() => void sendSample()}
    >
      {sending ? 'Sending…' : 'Send sample'}
    </Button>
  )
}

const captureWords = {
  listening: { word: 'Receiving', look: 'bg-ok' },
  paused: { word: 'Paused', look: 'bg-warn' },
  failed: { word: 'Not receiving', look: 'bg-bad' },
  off: { word: 'Not receiving', look: 'bg-edge' },
} as const

/** The receiver listens, but returns 503: nothing is stored. */
const failingCapture = { word: 'Not storing', look: 'bg-bad' } as const

/** Without a connection, the receiver's last known state is unreliable. */
const unknownCapture = { word: 'Disconnected', look: 'bg-edge' } as const

function Capture() {
  const { receiver, failing, connected, pauseOrResume } = useAppParts((state) => ({
    receiver: state.core.status?.receiver ?? null,
    failing: state.core.status?.store.state === 'failing',
    connected: state.core.connection.phase === 'open',
    pauseOrResume: state.list.pauseOrResume,
  }))
  if (receiver === null) return <span className="late skeleton h-3 w-64" />
  const failed = failing && receiver.state === 'listening'
  const { word, look } = connected
    ? failed
      ? failingCapture
      : captureWords[receiver.state]
    : unknownCapture
  const paused = receiver.state === 'paused'
  return (
    <>
      <span className="inline-flex shrink-0 items-center gap-2 font-medium">
        <span className={`size-2 rounded-full ${look}`} aria-hidden />
        {word}
      </span>
      {connected && (receiver.state === 'listening' || paused) && (
        <IconButton
          label={paused ? 'Resume capture' : 'Pause capture'}
          icon={paused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
          className="-ml-1.5"
          onClick={() => void pauseOrResume(!paused)}
        />
      )}
      {receiver.url !== null && (
        <span className="inline-flex min-w-0 items-center gap-1 @max-[450px]:flex-1 @max-[410px]:hidden">
          <span className="text-subtle @max-[450px]:hidden">at</span>
          <span title={receiver.url} className="data flex min-w-0 text-text select-text">
            {/* In a narrow pane, host and port are enough. */}
            <span className="@max-[450px]:hidden">https://</span>
            <span className="truncate">{receiver.url.replace('https://', '')}</span>
          </span>
          <CopyButton text={receiver.url} label="Copy receiver URL" />
        </span>
      )}
    </>
  )
}

function Count() {
  const { matching, counting, total, filtered } = useAppParts((state) => ({
    matching: rowCount(state.list.rows),
    counting: !state.list.rows.isWhole,
    total: state.core.status?.store.deliveries ?? 0,
    filtered: state.filter.applied !== '',
  }))
  // Without a filter the status bar shows the number.
  if (!filtered) return null
  return (
    <span className="min-w-0 truncate text-small text-subtle tabular-nums" data-testid="count">
      {counting
        ? `${matching.toLocaleString('en')} so far, counting…`
        : `${matching.toLocaleString('en')} of ${Math.max(total, matching).toLocaleString('en')}`}
    </span>
  )
}

/** The buttons of a wider toolbar, with their words and keys. */
function MoreMenu() {
  const state = useAppParts(({ list, filter, exporting, importing, marks, navigation }) => ({
    openLastFailing: list.openLastFailing,
    isFollowing: isUpToDate(list),
    toggleFollow: list.toggleFollow,
    query: filter.applied,
    openExport: exporting.open,
    openImport: importing.open,
    clearShown: marks.clearShown,
    openOverlay: navigation.openOverlay,
  }))
  const { query, isFollowing } = state
  const item = (Icon: LucideIcon, label: string, run: () => void, key?: KeyAction, look = '') => (
    <MenuItem onClick={run} className={look}>
      <Icon size={13} aria-hidden className={look === '' ? 'text-subtle' : ''} />
      <span className="flex-1">{label}</span>
      {key !== undefined && <ActionKeys action={key} />}
    </MenuItem>
  )
  return (
    <ButtonMenu
      look="min-w-64"
      trigger={
        <IconButton label="More" className="-mr-1.5" icon={<Ellipsis size={15} aria-hidden />} />
      }
    >
      {item(ServerCrash, 'Last failing at my handler', () => void state.openLastFailing())}
      {query !== '' && item(Bookmark, 'Save view…', () => state.openOverlay('save-view'))}
      {item(
        ArrowUpToLine,
        isFollowing ? 'Stop following newest' : 'Follow newest',
        state.toggleFollow,
        'follow',
      )}
      <MenuLine />
      <Submenu label="Columns" icon={<Columns3 size={13} aria-hidden className="text-subtle" />}>
        <ColumnItems />
      </Submenu>
      <MenuLine />
      {item(Upload, 'Import deliveries…', state.openImport)}
      {item(ShieldCheck, 'Verify a request…', () => state.openOverlay('verify-request'))}
      {item(Download, query === '' ? 'Export all deliveries…' : 'Export matching deliveries…', () =>
        state.openExport({ query, ids: null }),
      )}
      <MenuLine />
      {item(Trash2, clearWords(query), () => void state.clearShown(), 'clear-shown', 'text-bad')}
    </ButtonMenu>
  )
}

function LastFailingButton() {
  const openLastFailing = useApp((state) => state.list.openLastFailing)
  return (
    <ToolButton
      label="Last failing at my handler"
      caption="Last failing"
      captionMinWidth={1300}
      icon={<ServerCrash size={15} aria-hidden />}
      onClick={() => void openLastFailing()}
    />
  )
}

function ExportButton() {
  const query = useApp((state) => state.filter.applied)
  const openExport = useApp((state) => state.exporting.open)
  return (
    <ToolButton
      label={query === '' ? 'Export all deliveries…' : 'Export matching deliveries…'}
      caption="Export"
      icon={<Download size={15} aria-hidden />}
      onClick={() => openExport({ query, ids: null })}
    />
  )
}

function ImportButton() {
  const openImport = useApp((state) => state.importing.open)
  return (
    <ToolButton
      label="Import deliveries…"
      caption="Import"
      icon={<Upload size={15} aria-hidden />}
      onClick={openImport}
    />
  )
}

function VerifyButton() {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <ToolButton
      label="Verify a request…"
      caption="Verify"
      captionMinWidth={1300}
      icon={<ShieldCheck size={15} aria-hidden />}
      onClick={() => openOverlay('verify-request')}
    />
  )
}

/** Clears the list in two clicks. The second says which deliveries it deletes. */
function DeleteMenu() {
  const { query, clearShown } = useAppParts((state) => ({
    query: state.filter.applied,
    clearShown: state.marks.clearShown,
  }))
  return (
    <ButtonMenu
      look="w-64"
      trigger={
        <ToolButton
          label={`${clearWords(query)}…`}
          shortcut="clear-shown"
          caption="Delete…"
          captionMinWidth={1300}
          icon={<Trash2 size={15} aria-hidden />}
        />
      }
    >
      <MenuItem onClick={() => void clearShown()} className="text-bad">
        <Trash2 size={13} aria-hidden />
        {query === '' ? 'Delete all deliveries' : 'Delete matching deliveries'}
      </MenuItem>
      <p className="px-2 pt-1 pb-1.5 text-small text-subtle">
        Keeps pinned deliveries. You can undo this for ten seconds.
      </p>
    </ButtonMenu>
  )
}

function FollowToggle() {
  const { isOn, toggleFollow } = useAppParts(({ list }) => ({
    isOn: isUpToDate(list),
    toggleFollow: list.toggleFollow,
  }))
  return (
    <ToolButton
      label="Follow newest"
      shortcut="follow"
      caption="Follow"
      captionMinWidth={1300}
      pressed={isOn}
      icon={<ArrowUpToLine size={15} aria-hidden />}
      onClick={toggleFollow}
    />
  )
}

function SearchLag() {
  const { search, filtered } = useAppParts((state) => ({
    search: state.core.status?.store.search ?? null,
    filtered: state.filter.applied !== '',
  }))
  if (search === null || !filtered || search.state !== 'filling') return null
  const left = search.left === 1 ? '1 delivery' : `${search.left.toLocaleString('en')} deliveries`
  return (
    <p role="status" className="px-4 pb-1.5 text-small text-subtle tabular-nums">
      {`Indexing: ${left} left. Searches are complete, but slower until then.`}
    </p>
  )
}
