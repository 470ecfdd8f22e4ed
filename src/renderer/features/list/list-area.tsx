/** What stands where the list is: the list, or why there is none and what to do. */
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Message, type MessageProps } from '../../ui/message.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { FirstRun } from './first-run.tsx'
import { rowCount } from './list-updates.ts'

export function ListArea() {
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
