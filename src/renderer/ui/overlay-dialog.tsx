import type { ReactNode } from 'react'
import type { Overlay } from '../state/navigation-slice.ts'
import { useAppParts } from '../state/use-app.ts'
import { Dialog, type DialogProps } from './dialog.tsx'

/**
 * The dialog of an overlay: open while the window shows it and its subject exists (`ready`). Its content gets a way to close it;
 * `onClose` is called before.
 */
export function OverlayDialog({
  overlay,
  ready = true,
  onClose,
  children,
  ...props
}: DialogProps & {
  readonly overlay: Overlay
  readonly ready?: boolean
  readonly onClose?: () => void
  readonly children: (close: () => void) => ReactNode
}) {
  const { shown, closeOverlay } = useAppParts(({ navigation }) => ({
    shown: navigation.overlay === overlay,
    closeOverlay: navigation.closeOverlay,
  }))
  const close = () => {
    onClose?.()
    closeOverlay()
  }
  return (
    <Dialog open={shown && ready} onClose={close} {...props}>
      {children(close)}
    </Dialog>
  )
}
