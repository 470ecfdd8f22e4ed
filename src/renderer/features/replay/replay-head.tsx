/** The progress and statistics of a replay. */
import { RotateCw } from 'lucide-react'
import { outcomeOfReplay } from '../../../shared/model/send-outcomes.ts'
import type { Replay } from '../../../shared/model/send.ts'
import { useData, useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { StatisticsSection } from '../../connected/statistics-table.tsx'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { MAX_SENDS } from './replay-actions.ts'
import { queryWords } from './query-words.ts'
import { againstText, resultsText, changesText, finishedCount, resumeText } from './replay-words.ts'

/** Returns where a replay goes: a saved handler's name, or a URL. */
export function useDestination({ to, handlerId }: Replay): string {
  const handler = useApp((state) => state.core.handlers.find(({ id }) => id === handlerId))
  return handler === undefined ? (to ?? "each hook's URL") : handlerRef(handler)
}

export function ReplayHead({
  replay,
  onLeave,
}: {
  readonly replay: Replay
  readonly onLeave: () => void
}) {
  const { repeat, concurrency, rate } = replay
  const done = finishedCount(replay)
  const destination = useDestination(replay)
  const settings = [
    repeat > 1 && `repeat ${repeat}`,
    concurrency > 1 && `concurrency ${concurrency}`,
    rate !== null && `max ${rate} per second`,
    changesText(replay),
  ].filter(Boolean)
  return (
    <div className="shrink-0 border-b border-line px-5 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-baseline gap-x-2 text-title font-medium">
            <OutcomeMark outcome={outcomeOfReplay(replay)} />
            {replay.state !== 'done' &&
              `${done.toLocaleString('en')} of ${replay.total.toLocaleString('en')}`}
            <span className="text-small font-normal text-subtle">
              started {calendarDay(replay.createdAt)}{' '}
              <span className="data">{clockTime(replay.createdAt).slice(0, 8)}</span>
            </span>
          </h3>
          <p className="mt-0.5 wrap-anywhere text-muted">
            {replay.query !== null && `${visibleText(queryWords(replay.query))} to `}
            <MiddleTruncated text={destination} tail={16} className="data text-text" />
            {replay.to !== null && replay.to !== destination && (
              <>
                {' '}
                <MiddleTruncated text={replay.to} tail={16} className="data text-subtle" />
              </>
            )}
            {` ${againstText(replay)}`}
          </p>
          {settings.length > 0 && <p className="text-small text-subtle">{settings.join(' · ')}</p>}
        </div>
        <ReplayActions replay={replay} onLeave={onLeave} />
      </div>
      {(replay.state === 'running' || replay.state === 'interrupted') && (
        <ProgressBar label="Sent" value={done} max={replay.total} className="mt-2" />
      )}
      <p className="mt-2 empty:hidden" role="status">
        {replay.state !== 'done' && resultsText(replay)}
        {replay.state === 'interrupted' && (
          <span className="text-muted"> {resumeText(replay)}</span>
        )}
      </p>
      {replay.problem !== null && <p className="mt-1 text-bad wrap-anywhere">{replay.problem}</p>}
    </div>
  )
}

/** Most ids in a filter of the list. */
const MAX_IDS = 50

function ReplayActions({
  replay: { id, query, state, total, failed, edited },
  replay,
  onLeave,
}: {
  readonly replay: Replay
  readonly onLeave: () => void
}) {
  const { cancel, resume, replayFailed } = useParts('replay', 'cancel', 'resume', 'replayFailed')
  const { go, setQuery } = useAppParts(({ navigation, filter }) => ({
    go: navigation.go,
    setQuery: filter.setDraft,
  }))
  const { act, client } = useData()
  const showDeliveries = () =>
    act("Couldn't show the deliveries", async () => {
      const { sends } = await client.call('replay.sends', { replayId: id, limit: MAX_IDS })
      onLeave()
      go('deliveries')
      setQuery(query ?? `id:${[...new Set(sends.map((send) => send.deliveryId))].join(',')}`)
    })
  if (state === 'running') return <Button onClick={() => void cancel(id)}>Cancel</Button>
  if (state === 'interrupted')
    return (
      <>
        <Button onClick={() => void cancel(id)}>Discard</Button>
        <Button kind="primary" icon={RotateCw} onClick={() => void resume(id)}>
          Resume
        </Button>
      </>
    )
  return (
    <div className="flex flex-wrap gap-2">
      {(query !== null || total <= MAX_IDS) && (
        <Button onClick={() => void showDeliveries()}>Show in Deliveries</Button>
      )}
      {/* The changes of a composed request aren't stored with the replay. */}
      {failed > 0 && failed <= MAX_SENDS && edited.length === 0 && (
        <Button kind="primary" icon={RotateCw} onClick={() => void replayFailed(replay)}>
          Replay {failed.toLocaleString('en')} failed
        </Button>
      )}
    </div>
  )
}

export function ReplayStatistics({ replay }: { readonly replay: Replay }) {
  // Counting a million sends takes a second, so large replays are counted less often.
  const everyMs = replay.state === 'running' && Math.max(1_000, replay.total / 100)
  const read = useRead('replay.statistics', { replayId: replay.id }, { everyMs })
  return (
    <StatisticsSection of="requests" {...read} className="shrink-0 border-b border-line px-5" />
  )
}
