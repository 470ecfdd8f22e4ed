/** How far a replay is written down whose first send has not gone yet, and the way out; nothing where none takes long. */
import { useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'

export function StartProgress() {
  const { starting: start, giveUpStart: giveUp } = useParts('replay', 'starting', 'giveUpStart')
  if (start === null) return null
  const count = `${start.written.toLocaleString('en')} of ${start.total.toLocaleString('en')}`
  return (
    <div className="flex min-w-0 items-center gap-3">
      <ProgressBar label="Sends written down" value={start.written} max={start.total} className="w-24 shrink-0" />
      <span className="min-w-0 text-small text-muted">
        <span className="data">{count}</span> sends written down; none has gone yet.
      </span>
      <Button className="h-8 shrink-0" onClick={giveUp}>
        Send nothing
      </Button>
    </div>
  )
}
