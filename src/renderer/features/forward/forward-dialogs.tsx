/** Every dialog about forwarding; each opens when the store says so. */
import { RemoveTargetDialog } from './remove-target-dialog.tsx'
import { TargetDialog } from './target-dialog.tsx'

export function ForwardDialogs() {
  return (
    <>
      <TargetDialog />
      <RemoveTargetDialog />
    </>
  )
}
