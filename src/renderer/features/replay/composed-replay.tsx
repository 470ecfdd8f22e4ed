/** The progress and result of a replay of several requests, in the composer. */
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { finishedCount, resultsText } from './replay-words.ts'

export function ComposedReplay({ replayId }: { readonly replayId: string }) {
  const { replay, showReplays, cancelReplay } = useAppParts((state) => ({
    replay: state.core.replays?.find(({ id }) => id === replayId),
    showReplays: state.replay.show,
    cancelReplay: state.replay.cancel,
  }))
  if (replay === undefined) return null
  const progress = `${finishedCount(replay).toLocaleString('en')} of ${replay.total.toLocaleString('en')}: `
  return (
    <div role="status" className="flex min-w-0 items-center gap-2 py-1.5">
      <span className="min-w-0 wrap-anywhere">
        {replay.state === 'running' && progress}
        {replay.total === 0 && 'No deliveries match. '}
        {replay.problem ?? resultsText(replay)}
      </span>
      <Button kind="quiet" className="h-6 text-small" onClick={() => showReplays(replayId)}>
        Show
      </Button>
      {replay.state === 'running' && (
        <Button kind="quiet" className="h-6 text-small" onClick={() => void cancelReplay(replayId)}>
          Cancel
        </Button>
      )}
    </div>
  )
}
