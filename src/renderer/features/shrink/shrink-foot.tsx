/** In the foot of the window: a search whose dialog is hidden, with the way back to it and its end. */
import { LoaderCircle } from 'lucide-react'
import { counted } from '../../../shared/counted.ts'
import { useParts } from '../../state/use-app.ts'
import { FootButton } from '../../ui/foot-button.tsx'

export function ShrinkFoot() {
  const { run, cancel: cancelShrink } = useParts('shrink', 'run', 'cancel')
  const { overlay, openOverlay } = useParts('navigation', 'overlay', 'openOverlay')
  if (run === null || run.outcome !== null || overlay === 'shrink') return null
  return (
    <span className="flex items-center gap-1">
      <FootButton
        onClick={() => {
          openOverlay('shrink')
        }}
      >
        <LoaderCircle size={11} aria-hidden className="animate-spin text-accent motion-reduce:animate-none" />
        Smallest body: {counted(run.sends, 'send')}
      </FootButton>
      <FootButton onClick={() => void cancelShrink()}>Stop</FootButton>
    </span>
  )
}
