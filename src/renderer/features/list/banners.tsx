/** What is the matter with the capture, in a line across the screen, and what can be done about it. */
import { Pause } from 'lucide-react'
import { useAppParts } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'

export function CaptureBanners() {
  const { receiver, storage, listProblem, listed, pauseOrResume } = useAppParts((state) => ({
    receiver: state.core.status?.receiver,
    storage: state.core.status?.store,
    listProblem: state.list.problem,
    listed: state.list.phase === 'ready',
    pauseOrResume: state.list.pauseOrResume,
  }))
  return (
    <>
      {storage?.state === 'failing' && (
        <Banner tone="bad" title="Deliveries cannot be stored.">
          {storage.problem} They are answered 503, so that the service sends them again; capture goes on by itself once a write
          succeeds.
        </Banner>
      )}
      {receiver?.state === 'failed' && (
        <Banner tone="bad" title="The receiver is not listening.">
          {receiver.problem}
        </Banner>
      )}
      {receiver?.state === 'paused' && (
        <Banner
          tone="warn"
          icon={<Pause size={15} aria-hidden />}
          title="Capture is paused."
          action={
            <Button
              onClick={() => {
                void pauseOrResume(false)
              }}
            >
              Resume
            </Button>
          }
        >
          Deliveries are answered 503 and not kept, so that the service sends them again.
        </Banner>
      )}
      {listed && listProblem !== null && (
        <Banner tone="bad" title="The list may not be up to date.">
          {listProblem}
        </Banner>
      )}
    </>
  )
}
