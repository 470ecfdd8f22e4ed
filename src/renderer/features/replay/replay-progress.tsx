/** Replay progress in the status bar, with a cancel button, and a notice about interrupted replays. */
import { RotateCw, TriangleAlert } from 'lucide-react'
import { isForged } from '../../../shared/model/replay-edits.ts'
import { useParts } from '../../state/use-app.ts'
import { FootButton } from '../../ui/button.tsx'
import { doneOf } from './account.ts'

export function ReplayProgress() {
  const {
    starting: start,
    giveUpStart,
    jobs,
    show: showReplays,
    cancel: cancelReplay,
  } = useParts('replay', 'starting', 'giveUpStart', 'jobs', 'show', 'cancel')
  const running = (jobs ?? []).filter((job) => job.state === 'running' && job.total > 1)
  const interrupted = (jobs ?? []).filter((job) => job.state === 'interrupted')
  const [job] = running
  const [first] = interrupted
  if (start !== null)
    return (
      <span className="flex items-center gap-1">
        <span className="inline-flex items-center gap-1.5 px-1 whitespace-nowrap text-muted">
          <RotateCw size={11} aria-hidden className="text-accent" />
          Replay: preparing {start.written.toLocaleString('en')} of{' '}
          {start.total.toLocaleString('en')}
        </span>
        <FootButton onClick={giveUpStart}>Cancel</FootButton>
      </span>
    )
  if (job !== undefined) {
    const bad = job.notSent + (isForged(job) ? 0 : job.failed)
    return (
      <span className="flex items-center gap-1">
        <FootButton onClick={() => showReplays(job.id)}>
          <RotateCw size={11} aria-hidden className="text-accent" />
          Replay: {doneOf(job).toLocaleString('en')} of {job.total.toLocaleString('en')}
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
      <TriangleAlert size={11} aria-hidden className="text-warn" />
      {interrupted.length === 1
        ? '1 replay was interrupted'
        : `${interrupted.length} replays were interrupted`}
    </FootButton>
  )
}
