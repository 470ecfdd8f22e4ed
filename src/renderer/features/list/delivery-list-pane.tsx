/** The list pane: the toolbar, banners about capture, the rows or a placeholder, and the selection bar. */
import { Pause } from 'lucide-react'
import { useAppParts } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadingRows, Message, type MessageProps } from '../../ui/message.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { FirstRun } from './first-run.tsx'
import { rowCount } from './list-updates.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Timeline } from './timeline.tsx'
import { ListLine, Toolbar } from './toolbar.tsx'

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
    counting: state.list.rows.next !== null,
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
