/** The shrinker's dialog: its form, then how far it is, then what it has found. It can be hidden and goes on meanwhile. */
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ShrinkForm } from './shrink-form.tsx'
import { ShrinkProgress } from './shrink-progress.tsx'
import { ShrinkResultView } from './shrink-result.tsx'

export function ShrinkDialog() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'shrink' && state.shrink.subject !== null,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={open}
      onClose={closeOverlay}
      title="Shrink the body"
      description="Sends the delivery with less and less of its body, signed anew each time, while the handler still fails."
      wide
    >
      <Content />
    </Dialog>
  )
}

function Content() {
  const { subject, run, result } = useParts('shrink', 'subject', 'run', 'result')
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  if (subject === null) return null
  if (result !== null) return <ShrinkResultView subject={subject} result={result} onDone={closeOverlay} />
  if (run !== null) return <ShrinkProgress run={run} onHide={closeOverlay} />
  return <ShrinkForm subject={subject} onCancel={closeOverlay} />
}
