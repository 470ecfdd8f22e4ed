/** The result of a replay below the composer. */
import { responseWords } from '../../../shared/model/outcomes.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { SendMark } from '../../ui/outcome-mark.tsx'
import { resultsText, finishedCount } from './replay-words.ts'
import { visibleText } from '../../ui/visible-text.ts'

export function ComposedResult({
  jobId,
  onAuthority,
}: {
  readonly jobId: string
  /** Callback that shows the field for the CA certificate. */
  readonly onAuthority: () => void
}) {
  const { job, showReplays, cancelReplay, go } = useAppParts((state) => ({
    job: state.core.replays?.find(({ id }) => id === jobId),
    showReplays: state.replay.show,
    cancelReplay: state.replay.cancel,
    go: state.navigation.go,
  }))
  const isOne = job?.total === 1
  const { output } = useRead('replay.sends', isOne ? { jobId, limit: 1 } : null)
  const send = output?.sends[0]
  if (job === undefined) return null
  return (
    <div role="status" className="flex min-w-0 items-center gap-3">
      {isOne ? (
        send !== undefined && (
          <>
            <span className="shrink-0">
              <SendMark send={send} />
            </span>
            <span className="data shrink-0">{responseWords(send.status, send.ms)}</span>
            <span
              className="line-clamp-2 min-w-0 text-small wrap-anywhere text-muted"
              title={visibleText(send.error ?? send.target)}
            >
              {visibleText(
                send.error === null ? `to ${send.target}` : `to ${send.target}: ${send.error}`,
              )}
            </span>
          </>
        )
      ) : (
        <span className="min-w-0 truncate">
          {job.state === 'running'
            ? `${finishedCount(job).toLocaleString('en')} of ${job.total.toLocaleString('en')}: `
            : job.total === 0
              ? 'No deliveries match. '
              : ''}
          {job.problem ?? resultsText(job)}
        </span>
      )}
      <Button
        kind="quiet"
        className="h-6 px-1.5 text-small"
        onClick={() => {
          if (send === undefined) showReplays(jobId)
          else go('deliveries', { id: send.deliveryId, tab: 'history' })
        }}
      >
        Show
      </Button>
      {isOne && send?.errorKind === 'certificate' && (
        <Button kind="quiet" className="h-6 shrink-0 px-1.5 text-small" onClick={onAuthority}>
          Add CA certificate…
        </Button>
      )}
      {job.state === 'running' && !isOne && (
        <Button
          kind="quiet"
          className="h-6 px-1.5 text-small"
          onClick={() => void cancelReplay(jobId)}
        >
          Cancel
        </Button>
      )}
    </div>
  )
}
