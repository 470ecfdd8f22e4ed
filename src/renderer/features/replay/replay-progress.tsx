/** Replay progress in the status bar, and a notice about interrupted replays. */
import { RotateCw, TriangleAlert } from 'lucide-react'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { FootButton } from '../../ui/button.tsx'
import { isForged } from '../../../shared/model/replay-edits.ts'
import { finishedCount } from './replay-words.ts'

export function ReplayProgress() {
  const jobs = useApp((state) => state.core.replays)
  const { show: showReplays, cancel: cancelReplay } = useParts('replay', 'show', 'cancel')
  const running = (jobs ?? []).filter((job) => job.state === 'running' && job.total > 1)
  const interrupted = (jobs ?? []).filter((job) => job.state === 'interrupted')
  const [job] = running
  const [first] = interrupted
  if (job !== undefined) {
    const bad = job.notSent + (isForged(job) ? 0 : job.failed)
    return (
      <span className="flex items-center gap-1">
        <FootButton onClick={() => showReplays(job.id)}>
          <RotateCw size={11} className="text-accent" />
          Replay: {finishedCount(job).toLocaleString('en')} of {job.total.toLocaleString('en')}
          {bad > 0 && <span className="text-bad">{bad.toLocaleString('en')} failed</span>}
          {running.length > 1 && <span>and {running.length - 1} more</span>}
        </FootButton>
        <FootButton onClick={() => void cancelReplay(job.id)}>Cancel</FootButton>
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
