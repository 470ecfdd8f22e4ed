/** What lies over the page for replays: where to, the composer, what was sent, and what has to be agreed to. */
import { useApp, useParts } from '../../state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Composer } from './composer.tsx'
import { ConsentDialog } from './consent-dialog.tsx'
import { ReplaysPanel } from './replays-panel.tsx'
import { titleOf, whereWords } from './source-words.ts'
import { TargetForm } from './target-form.tsx'

export function ReplayDialogs() {
  const { overlay, closeOverlay } = useParts('navigation', 'overlay', 'closeOverlay')
  const source = useApp((state) => state.replay.source)
  return (
    <>
      <Dialog
        open={overlay === 'replays'}
        onClose={closeOverlay}
        title="Replays"
        description="What was sent again, newest first."
        large
      >
        <ReplaysPanel onLeave={closeOverlay} />
      </Dialog>
      <Dialog
        open={overlay === 'replay-target' && source !== null}
        onClose={closeOverlay}
        {...(source === null ? { title: '' } : whereWords(source))}
      >
        {source !== null && <TargetForm source={source} onDone={closeOverlay} />}
      </Dialog>
      <Dialog
        open={overlay === 'replay-composer' && source !== null}
        onClose={closeOverlay}
        title={source === null ? '' : titleOf(source)}
        large
      >
        {source !== null && <Composer source={source} onDone={closeOverlay} />}
      </Dialog>
      <ConsentDialog />
    </>
  )
}
