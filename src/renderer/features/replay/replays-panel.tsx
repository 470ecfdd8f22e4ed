/** The panel of all replays, with the selected one's progress and results. */
import type { Ref } from 'react'
import type { Replay } from '../../../shared/model/send.ts'
import { isCompared, outcomeOfReplay } from '../../../shared/model/send-outcomes.ts'
import { counted } from '../../../shared/text/english.ts'
import { REPLAYS } from '../../core-data/events.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { LoadProblem } from '../../ui/message.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { clockTime, dayUnlessToday } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { NotFoundPane } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { queryWords } from './query-words.ts'
import { againstText, changesText } from './replay-words.ts'
import { ReplayComparison } from './replay-comparison.tsx'
import { ReplaySends } from './replay-sends.tsx'
import { ReplayHead, ReplayStatistics, useDestination } from './replay-head.tsx'
import { useFirstFocus } from '../../ui/use-first-focus.ts'

export function ReplaysPanel({ onLeave }: { readonly onLeave: () => void }) {
  const { about: shown } = useParts('navigation', 'about')
  const { output, problem, readAgain } = useRead('replay.list', REPLAYS)
  const replays = output?.replays
  const replay = shown === null ? replays?.[0] : replays?.find(({ id }) => id === shown)
  const first = useFirstFocus<HTMLButtonElement>(replay !== undefined)
  if (replays === undefined) {
    return problem === null ? (
      <div role="status" aria-label="Loading replays" className="late m-5 skeleton h-16" />
    ) : (
      <LoadProblem title="Couldn't load replays" problem={problem} onAgain={readAgain} />
    )
  }
  if (replays.length === 0) {
    return (
      <div className="max-w-[560px] px-5 pt-6 pb-8">
        <h3 className="font-medium">No replays yet</h3>
        <p className="mt-1 text-muted">
          Press <ActionKeys action="replay" spoken /> on a delivery to send it to your endpoint, or{' '}
          <ActionKeys action="replay-compose" spoken /> to change it first. Use the command palette
          to replay all matching deliveries.
        </p>
      </div>
    )
  }
  return (
    <div className="flex min-h-0 flex-1 max-[900px]:flex-col">
      <nav
        aria-label="Replays"
        className="w-[300px] shrink-0 overflow-auto border-r border-line max-[900px]:max-h-[30%] max-[900px]:w-auto max-[900px]:border-r-0 max-[900px]:border-b"
      >
        <ul>
          {replays.map((listed) => (
            <ReplayItem
              key={listed.id}
              replay={listed}
              isCurrent={listed === replay}
              ref={listed === replay ? first : undefined}
            />
          ))}
        </ul>
      </nav>
      <section
        aria-label="Replay"
        className="@container flex min-h-0 min-w-0 flex-1 flex-col overflow-auto"
      >
        {replay === undefined ? (
          <NotFoundPane what="Replay" name={shown ?? ''} />
        ) : (
          <>
            <ReplayHead key={replay.id} replay={replay} onLeave={onLeave} />
            {isCompared(replay) ? (
              <ReplayComparison key={`comparison ${replay.id}`} replay={replay} onLeave={onLeave} />
            ) : (
              <>
                {replay.total > 1 && (
                  <ReplayStatistics key={`statistics ${replay.id}`} replay={replay} />
                )}
                <ReplaySends key={`sends ${replay.id}`} replay={replay} onLeave={onLeave} />
              </>
            )}
          </>
        )}
      </section>
    </div>
  )
}

function ReplayItem({
  replay,
  isCurrent,
  ref,
}: {
  readonly replay: Replay
  readonly isCurrent: boolean
  readonly ref: Ref<HTMLButtonElement> | undefined
}) {
  const showReplays = useApp((state) => state.replay.show)
  const destination = useDestination(replay)
  return (
    <li>
      <button
        type="button"
        ref={ref}
        aria-current={isCurrent}
        onClick={() => showReplays(replay.id)}
        className={`flex w-full flex-col gap-0.5 border-b border-line/50 px-5 py-2 text-left outline-offset-[-2px] ${isCurrent ? 'bg-selected' : 'hover:bg-raised'}`}
      >
        <span className="flex items-center gap-2">
          <span className="shrink-0 font-medium">{counted(replay.total, 'request')}</span>
          <span className="flex min-w-0 text-small">
            <OutcomeMark outcome={outcomeOfReplay(replay)} />
          </span>
        </span>
        <span className="flex w-full items-center gap-2">
          <MiddleTruncated text={destination} tail={16} className="data text-muted" />
          <span className="ml-auto shrink-0 text-small text-subtle">
            {dayUnlessToday(replay.createdAt) ?? 'Today'}{' '}
            <span className="data">{clockTime(replay.createdAt).slice(0, 8)}</span>
          </span>
        </span>
        <span className="truncate text-small text-subtle empty:hidden">
          {[
            againstText(replay),
            replay.query === null ? '' : visibleText(queryWords(replay.query)),
            changesText(replay),
          ]
            .filter((part) => part !== '')
            .join(' · ')}
        </span>
      </button>
    </li>
  )
}
