/** The pane of the list: the toolbar, banners about capture, the rows or what is in their place, and the selection bar. */
import { Pause } from 'lucide-react'
import { useAppParts } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadingRows, Message, type MessageProps } from '../../ui/message.tsx'
import { tourPlace } from '../../ui/tour-place.ts'
import { DeliveryList } from './delivery-list.tsx'
import { FirstRun } from './first-run.tsx'
import { rowCount } from './list-updates.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Toolbar } from './toolbar.tsx'

/** What is the matter with the capture, in a line across the screen, and what can be done about it. */
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
        <Banner tone="bad" title="Deliveries cannot be stored.">
          {storage.problem} They are answered 503, so that the service sends them again; capture goes on by itself once a write
          succeeds.
        </Banner>
      )}
      {receiver?.state === 'failed' && (
        <Banner tone="bad" title="The receiver is not listening.">
          {receiver.problem}
        </Banner>
      )}
      {receiver?.state === 'paused' && (
        <Banner
          tone="warn"
          icon={<Pause size={15} aria-hidden />}
          title="Capture is paused."
          action={
            <Button
              onClick={() => {
                void pauseOrResume(false)
              }}
            >
              Resume
            </Button>
          }
        >
          Deliveries are answered 503 and not kept, so that the service sends them again.
        </Banner>
      )}
      {listed && listProblem !== null && (
        <Banner tone="bad" title="The list may not be up to date.">
          {listProblem}
        </Banner>
      )}
    </>
  )
}

/** What stands where the list is: the list, or why there is none and what to do. */
function ListArea() {
  const { phase, problem, count, counting, query, draftInvalid, known, paused, reloadList, clearQuery } = useAppParts(
    (state) => ({
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
    }),
  )
  if (phase === 'failed')
    return (
      <Instead
        title="The deliveries could not be read"
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
        title="No delivery matches"
        action={
          <Button kind="primary" onClick={clearQuery}>
            Clear the filter
          </Button>
        }
      >
        Nothing received so far fits <span className="data text-text">{query}</span>. New deliveries that do appear here by
        themselves.
      </Instead>
    )
  if (paused)
    return (
      <Instead title="Capture is paused">
        Nothing has been received yet. Deliveries sent now are answered 503, and not kept.
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
    <LoadingRows label="Loading deliveries" count={18} columns={columns} row="h-7 items-center gap-8 px-4" className="pt-7" />
  )
}

export function DeliveryListPane() {
  return (
    <section aria-label="List" className="flex h-full min-w-0 flex-col bg-ground" data-pane="list" {...tourPlace('list')}>
      <Toolbar />
      <CaptureBanners />
      <ListArea />
      <SelectionBar />
    </section>
  )
}
