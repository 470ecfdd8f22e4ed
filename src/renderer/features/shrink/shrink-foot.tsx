/** In the foot of the window: a search whose dialog is hidden, with the way back to it and its end. */
import { LoaderCircle } from 'lucide-react'
import { counted } from '../../../shared/counted.ts'
import { useAppParts } from '../../state/use-app.ts'
import { FootButton } from '../../ui/foot-button.tsx'

export function ShrinkFoot() {
  const { run, overlay, openOverlay, cancelShrink } = useAppParts((state) => ({
    run: state.shrink.run,
    overlay: state.navigation.overlay,
    openOverlay: state.navigation.openOverlay,
    cancelShrink: state.shrink.cancel,
  }))
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
