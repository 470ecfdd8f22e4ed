/** The list pane: the toolbar, banners about capture, the rows or a placeholder, and the selection bar. */
import { Pause, GitCompareArrows, X } from 'lucide-react'
import { useAppParts, useParts } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { LoadingRows, Message, type MessageProps } from '../../ui/message.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { FirstRun } from './first-run.tsx'
import { rowCount } from './list-column.ts'
import { Timeline } from './timeline.tsx'
import { ListLine, Toolbar } from './toolbar.tsx'
import { keysOf } from '../../state/key-map.ts'
import { ActionKeys, keyCaps } from '../../ui/keys.tsx'
import { clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'
import { ReplayButton } from '../replay/index.ts'
import { MarksBar } from './marks.tsx'

/** Problems with capture, each in a line across the pane with what to do. */
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
          icon={<Pause size={15} aria-hidden />}
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

/** The list, or a placeholder with the reason and what to do. */
function ListArea() {
  const {
    phase,
    problem,
    count,
    counting,
    query,
    draftInvalid,
    known,
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
    known: state.core.status !== null,
    paused: state.core.status?.receiver.state === 'paused',
    reloadList: state.list.reload,
    clearQuery: state.filter.clear,
  }))
  if (phase === 'failed')
    return (
      <Instead
        title="Couldn't load deliveries"
        action={
          <Button kind="primary" onClick={() => void reloadList()}>
            Try again
          </Button>
        }
      >
        {problem}
      </Instead>
    )
  if (phase === 'loading' || !known) return <LoadingList />
  if (count > 0 || draftInvalid) return <DeliveryList />
  if (counting) return <LoadingList />
  if (query !== '')
    return (
      <Instead
        title="No matching deliveries"
        action={
          <Button kind="primary" onClick={clearQuery}>
            Clear filter
          </Button>
        }
      >
        Nothing received so far matches <span className="data text-text">{query}</span>. New matches
        appear here.
      </Instead>
    )
  if (paused)
    return (
      <Instead title="Capture paused">
        Nothing received yet. New deliveries get a 503 and aren't stored.
      </Instead>
    )
  return <FirstRun />
}

function Instead(props: MessageProps) {
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

export function DeliveryListPane() {
  return (
    <section aria-label="List" className="flex h-full min-w-0 flex-col bg-ground" data-pane="list">
      <Toolbar />
      <Timeline />
      <CaptureBanners />
      <ListLine />
      <ListArea />
      <SelectionBar />
    </section>
  )
}

// The bar below the list while deliveries are selected or one is set as A to compare: the number selected, and the actions.

function SelectionBar() {
  const {
    rows: picked,
    ofMore,
    clear: clearPicked,
  } = useParts('selection', 'rows', 'ofMore', 'clear')
  const {
    marked,
    mark: markForCompare,
    start: compare,
  } = useParts('compare', 'marked', 'mark', 'start')
  if (picked.size === 0 && marked === null) return null
  // In the order sent by the service.
  const oldestFirst = [...picked.values()].sort((one, other) => one.seq - other.seq)
  const [older, newer] = oldestFirst
  return (
    <div
      role="status"
      className="@container flex h-10 shrink-0 items-center gap-1 border-t border-line bg-raised pr-2 pl-4"
    >
      {picked.size > 0 ? (
        <>
          <span className="mr-1 font-medium whitespace-nowrap tabular-nums">
            {picked.size.toLocaleString('en')} selected
          </span>
          <span className="min-w-0 flex-1 truncate text-small text-subtle">
            {ofMore
              ? `Newest matches only. Press ${keyCaps(keysOf('palette')).join(' ')} for commands on all matches.`
              : picked.size === 1
                ? 'Select one more to compare'
                : picked.size > 2
                  ? 'Select exactly two to compare'
                  : ''}
          </span>
          <MarksBar rows={[...picked.values()]} />
          <ReplayButton rows={oldestFirst} compact />
          <Button
            kind="primary"
            disabled={picked.size !== 2}
            icon={<GitCompareArrows size={14} aria-hidden />}
            onClick={() => {
              if (older !== undefined && newer !== undefined)
                void compare({ kind: 'delivery', id: older.id }, { kind: 'delivery', id: newer.id })
            }}
          >
            <span className="@max-[560px]:sr-only">Compare</span>
          </Button>
          <IconButton
            label="Clear selection"
            shortcut="back"
            icon={<X size={15} aria-hidden />}
            onClick={clearPicked}
          />
        </>
      ) : (
        marked !== null && (
          <>
            <span className="min-w-0 flex-1 truncate">
              <span className="font-medium">A</span> is {eventWord(marked).text} at{' '}
              <span className="data">{clockTime(marked.receivedAt)}</span>. Press{' '}
              <ActionKeys action="compare" spoken /> on another delivery to compare.
            </span>
            <IconButton
              label="Clear A"
              shortcut="back"
              icon={<X size={15} aria-hidden />}
              onClick={() => markForCompare(null)}
            />
          </>
        )
      )}
    </div>
  )
}
