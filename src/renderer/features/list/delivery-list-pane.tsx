/** The list pane: filter bar, views, timeline, banners about capture, and rows. */
import {
  ArrowUp,
  ArrowUpToLine,
  Columns3,
  Download,
  Ellipsis,
  Pause,
  Play,
  Share2,
  ShieldCheck,
  SquarePen,
  Trash2,
  Upload,
  type LucideIcon,
} from 'lucide-react'
import { MOST_SORTED } from '../../../shared/model/delivery.ts'
import { hintOn } from '../../../shared/query/hints.ts'
import { keysOf, type KeyAction } from '../../key-map.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ActionKeys, Keys } from '../../ui/keys.tsx'
import { ButtonMenu, MenuItem, MenuLine, Submenu } from '../../ui/menu.tsx'
import { LoadingRows, LoadProblem, Message, type MessageProps, Banner } from '../../ui/message.tsx'
import { ColumnItems } from './columns.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { ArrivalNotice } from './arrival-notice.tsx'
import { Filter } from './filter.tsx'
import { FirstRun } from './first-run.tsx'
import { CaptureState, SampleButton } from './capture-state.tsx'
import { rowCount } from './row-list.ts'
import { isUpToDate } from './loader-state.ts'
import { clearWords } from './deletion-actions.ts'
import { Timeline } from './timeline.tsx'
import { MatchingCount, ViewRow } from './views.tsx'
import { SelectionBar } from './selection-bar.tsx'

export function DeliveryListPane() {
  const isEmpty = useApp(
    (state) => state.core.status?.store.deliveries === 0 && state.filter.applied === '',
  )
  const isFailed = useApp((state) => state.list.phase === 'failed')
  return (
    <section aria-label="List" className="flex h-full min-w-0 flex-col bg-ground" data-pane="list">
      <h1 className="sr-only">Deliveries</h1>
      {!isEmpty && (
        <>
          <Bar />
          <div className="@container flex h-9 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4">
            <ViewRow />
            <UnsortedNotice />
            <NewRowsButton />
          </div>
          {!isFailed && <Timeline />}
        </>
      )}
      <CaptureBanners />
      <ListArea />
      <SelectionBar />
      <ArrivalNotice />
    </section>
  )
}

function Bar() {
  return (
    <div className="@container shrink-0 bg-surface">
      <div className="window-drag flex min-h-12 items-center gap-3 border-b border-line py-1.5 pr-3 pl-4 @max-[560px]:gap-2">
        <CaptureState />
        <ReceiverUrl />
        <Filter>
          <MatchingCount />
        </Filter>
        <SampleButton />
        <MoreMenu />
      </div>
    </div>
  )
}

function ReceiverUrl() {
  const url = useApp((state) => state.core.lastStatus?.receiver.url ?? null)
  if (url === null) return null
  return (
    <span className="inline-flex min-w-0 items-center gap-1 @max-[860px]:hidden">
      <span title={url} className="data truncate text-muted select-text">
        {url}
      </span>
      <CopyButton text={url} label="Copy receiver URL" />
    </span>
  )
}

/** Offers less frequent actions, with their keys. */
function MoreMenu() {
  const state = useAppParts(
    ({ core, list, filter, exporting, sharing, importing, marks, navigation, replay }) => ({
      isUpToDate: isUpToDate(list),
      toggleFollow: list.toggleFollow,
      capture: core.status?.receiver.state,
      pauseOrResume: list.pauseOrResume,
      query: filter.applied,
      openExport: exporting.open,
      openShare: sharing.open,
      openImport: importing.open,
      clearShown: marks.clearShown,
      openOverlay: navigation.openOverlay,
      newRequest: replay.newRequest,
    }),
  )
  const { query, capture } = state
  const item = (
    Icon: LucideIcon,
    label: string,
    run: () => void,
    key?: KeyAction,
    kind?: 'danger',
  ) => (
    <MenuItem onClick={run} kind={kind}>
      <Icon size={13} className="text-subtle" />
      <span className="flex-1">{label}</span>
      {key !== undefined && <ActionKeys action={key} />}
    </MenuItem>
  )
  return (
    <ButtonMenu
      className="min-w-64"
      trigger={<IconButton label="More" className="-mr-1.5 -ml-1" icon={Ellipsis} />}
    >
      {item(Upload, 'Import deliveries…', state.openImport)}
      {item(Download, query === '' ? 'Export all deliveries…' : 'Export matching deliveries…', () =>
        state.openExport({ query, seqs: null }),
      )}
      {item(Share2, query === '' ? 'Share all deliveries…' : 'Share matching deliveries…', () =>
        state.openShare({ query, seqs: null }),
      )}
      {item(SquarePen, 'New request…', state.newRequest, 'new-request')}
      {item(ShieldCheck, 'Verify a request…', () => state.openOverlay('verify-request'))}
      <MenuLine />
      <Submenu label="Columns" icon={<Columns3 size={13} className="text-subtle" />}>
        <ColumnItems />
        <MenuLine />
        <MenuItem onClick={() => state.openOverlay('body-columns')}>Body columns…</MenuItem>
      </Submenu>
      {item(
        ArrowUpToLine,
        state.isUpToDate ? 'Stop following newest' : 'Follow newest',
        state.toggleFollow,
        'follow',
      )}
      {capture === 'listening' &&
        item(Pause, 'Pause capture', () => void state.pauseOrResume(true))}
      {capture === 'paused' && item(Play, 'Resume capture', () => void state.pauseOrResume(false))}
      <MenuLine />
      {item(Trash2, clearWords(query), () => void state.clearShown(), 'clear-shown', 'danger')}
    </ButtonMenu>
  )
}

/** Explains why the list isn't sorted by the selected column. */
function UnsortedNotice() {
  const unsorted = useApp((state) => state.list.unsorted)
  if (unsorted === null) return null
  return (
    <p role="status" className="min-w-0 truncate text-small text-warn">
      Too many to sort. Narrow the filter to {MOST_SORTED.toLocaleString('en')} deliveries or fewer.
    </p>
  )
}

/** Shows the number of rows that arrived out of view, and leads to them. */
function NewRowsButton() {
  const { unseen, jumpToNewest } = useParts('list', 'unseen', 'jumpToNewest')
  if (unseen === 0) return null
  return (
    <button
      type="button"
      onClick={jumpToNewest}
      className="inline-flex h-6.5 shrink-0 items-center gap-1.5 rounded-full bg-accent-solid px-3 text-small font-medium text-on-accent hover:bg-accent-solid-hover"
    >
      <ArrowUp size={13} />
      <span className="tabular-nums">{unseen.toLocaleString('en')} new</span>
      <span className="@max-[600px]:hidden">
        <Keys keys={keysOf('follow')} />
      </span>
    </button>
  )
}

/** Shows problems with capture, each in a line with its fix. */
function CaptureBanners() {
  const { receiver, storage, listProblem, listed, pauseOrResume } = useAppParts((state) => ({
    receiver: state.core.status?.receiver,
    storage: state.core.status?.store,
    listProblem: state.list.problem,
    listed: state.list.phase === 'ready',
    pauseOrResume: state.list.pauseOrResume,
  }))
  return (
    <>
      {storage?.state === 'failing' && (
        <Banner tone="bad" title="Couldn't store deliveries.">
          {storage.problem} New deliveries get a 503, so the service retries. Capture resumes once a
          write succeeds.
        </Banner>
      )}
      {receiver?.state === 'failed' && (
        <Banner tone="bad" title="The receiver isn't listening.">
          {receiver.problem}
        </Banner>
      )}
      {receiver?.state === 'paused' && (
        <Banner
          tone="warn"
          icon={Pause}
          title="Capture paused."
          action={<Button onClick={() => void pauseOrResume(false)}>Resume</Button>}
        >
          New deliveries get a 503 and aren't stored, so the service retries them.
        </Banner>
      )}
      {listed && listProblem !== null && (
        <Banner tone="bad" title="The list may be out of date.">
          {listProblem}
        </Banner>
      )}
    </>
  )
}

function ListArea() {
  const {
    phase,
    problem,
    count,
    counting,
    query,
    draftInvalid,
    hasStatus,
    paused,
    reloadList,
    clearQuery,
  } = useAppParts((state) => ({
    phase: state.list.phase,
    problem: state.list.problem,
    count: rowCount(state.list.rows),
    counting: !state.list.rows.isWhole,
    query: state.list.query,
    draftInvalid: state.filter.draftProblem !== null || state.list.queryProblem !== null,
    hasStatus: state.core.status !== null,
    paused: state.core.status?.receiver.state === 'paused',
    reloadList: state.list.reload,
    clearQuery: state.filter.clear,
  }))
  if (phase === 'failed')
    return (
      <LoadProblem
        title="Couldn't load deliveries"
        problem={problem ?? ''}
        onAgain={() => void reloadList()}
      />
    )
  if (phase === 'loading' || !hasStatus) return <LoadingList />
  if (count > 0 || draftInvalid) return <DeliveryList />
  if (counting) return <LoadingList />
  if (query !== '')
    return (
      <Placeholder
        title="No matching deliveries"
        action={
          <Button kind="primary" onClick={clearQuery}>
            Clear filter
          </Button>
        }
      >
        Nothing received so far matches <span className="data text-text">{query}</span>. New matches
        appear here. {hintOn(query)}
      </Placeholder>
    )
  if (paused)
    return (
      <Placeholder title="Capture paused">
        Nothing received yet. New deliveries get a 503 and aren't stored.
      </Placeholder>
    )
  return <FirstRun />
}

function Placeholder(props: MessageProps) {
  return (
    <div className="min-h-0 flex-1 px-8 pt-12">
      <Message {...props} />
    </div>
  )
}

function LoadingList() {
  const columns = ['w-16', 'w-20', 'w-[160px]', 'flex-1']
  return (
    <LoadingRows
      label="Loading deliveries"
      count={18}
      columns={columns}
      row="h-7 items-center gap-8 px-4"
      className="pt-7"
    />
  )
}
