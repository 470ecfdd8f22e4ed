/** The result of the composer's last request, with a link to its details. */
import { useEffect, useState } from 'react'
import { responseWords } from '../../../shared/model/outcomes.ts'
import type { Send } from '../../../shared/model/send.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { SendMark } from '../../ui/outcome-mark.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { accountOf, doneOf } from './account.ts'

export function ComposedResult({
  jobId,
  onAuthority,
}: {
  readonly jobId: string
  /** Shows the field for the CA certificate. */
  readonly onAuthority: () => void
}) {
  const { job, revision, read, showReplays, cancelReplay, go, setTab, goToDelivery } = useAppParts(
    (state) => ({
      job: state.replay.jobs?.find(({ id }) => id === jobId),
      revision: state.replay.revision,
      read: state.replay.readSends,
      showReplays: state.replay.show,
      cancelReplay: state.replay.cancel,
      go: state.navigation.go,
      setTab: state.detail.setTab,
      goToDelivery: state.detail.goTo,
    }),
  )
  const [send, setSend] = useState<Send | null>(null)
  const isOne = job?.total === 1
  useEffect(() => {
    let wanted = true
    if (isOne)
      void read({ jobId, limit: 1 }).then((outcome) => {
        if (wanted && outcome.ok) setSend(outcome.value[0] ?? null)
      })
    return () => {
      wanted = false
    }
  }, [read, jobId, isOne, revision])
  if (job === undefined) return null
  return (
    <div role="status" className="flex min-w-0 items-center gap-3">
      {isOne ? (
        send !== null && (
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
            ? `${doneOf(job).toLocaleString('en')} of ${job.total.toLocaleString('en')}: `
            : job.total === 0
              ? 'No deliveries match. '
              : ''}
          {job.problem ?? accountOf(job)}
        </span>
      )}
      <Button
        kind="quiet"
        className="h-6 px-1.5 text-small"
        onClick={() => {
          if (send === null) showReplays(jobId)
          else {
            go('deliveries')
            setTab('replays')
            void goToDelivery(send.deliveryId)
          }
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
