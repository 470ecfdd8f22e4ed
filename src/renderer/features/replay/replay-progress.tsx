/** Replay progress in the status bar, and a notice about interrupted replays. */
import { RotateCw, TriangleAlert } from 'lucide-react'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { FootButton } from '../../ui/button.tsx'
import { isForged } from '../../../shared/model/replay-edits.ts'
import { finishedCount } from './replay-words.ts'

export function ReplayProgress() {
  const replays = useApp((state) => state.core.replays)
  const { show: showReplays, cancel: cancelReplay } = useParts('replay', 'show', 'cancel')
  const running = (replays ?? []).filter((replay) => replay.state === 'running' && replay.total > 1)
  const interrupted = (replays ?? []).filter((replay) => replay.state === 'interrupted')
  const [replay] = running
  const [first] = interrupted
  if (replay !== undefined) {
    const bad = replay.notSent + (isForged(replay) ? 0 : replay.failed)
    return (
      <span className="flex items-center gap-1">
        <FootButton onClick={() => showReplays(replay.id)}>
          <RotateCw size={11} className="text-accent" />
          Replay: {finishedCount(replay).toLocaleString('en')} of{' '}
          {replay.total.toLocaleString('en')}
          {bad > 0 && <span className="text-bad">{bad.toLocaleString('en')} failed</span>}
          {running.length > 1 && <span>and {running.length - 1} more</span>}
        </FootButton>
        <FootButton onClick={() => void cancelReplay(replay.id)}>Cancel</FootButton>
      </span>
    )
  }
  if (first === undefined) return null
  return (
    <FootButton onClick={() => showReplays(first.id)}>
      <TriangleAlert size={11} className="text-warn" />
      {interrupted.length === 1
        ? '1 replay was interrupted'
        : `${interrupted.length} replays were interrupted`}
    </FootButton>
  )
}
