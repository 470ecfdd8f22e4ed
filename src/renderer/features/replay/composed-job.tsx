/** The progress and result of a replay of several requests, in the composer. */
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { finishedCount, resultsText } from './replay-words.ts'

export function ComposedJob({ jobId }: { readonly jobId: string }) {
  const { job, showReplays, cancelReplay } = useAppParts((state) => ({
    job: state.core.replays?.find(({ id }) => id === jobId),
    showReplays: state.replay.show,
    cancelReplay: state.replay.cancel,
  }))
  if (job === undefined) return null
  const progress = `${finishedCount(job).toLocaleString('en')} of ${job.total.toLocaleString('en')}: `
  return (
    <div role="status" className="flex min-w-0 items-center gap-2 py-1.5">
      <span className="min-w-0 wrap-anywhere">
        {job.state === 'running' && progress}
        {job.total === 0 && 'No deliveries match. '}
        {job.problem ?? resultsText(job)}
      </span>
      <Button kind="quiet" className="h-6 text-small" onClick={() => showReplays(jobId)}>
        Show
      </Button>
      {job.state === 'running' && (
        <Button kind="quiet" className="h-6 text-small" onClick={() => void cancelReplay(jobId)}>
          Cancel
        </Button>
      )}
    </div>
  )
}
