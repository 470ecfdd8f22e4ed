/** Every dialog about hooks; each opens when the store says so. */
import { DeleteHookDialog } from './delete-hook-dialog.tsx'
import { EditHookDialog } from './edit-hook-dialog.tsx'
import { ImportHookDialog } from './import-hook-dialog.tsx'
import { PublicAddressDialog } from './public-address-dialog.tsx'
import { RegisterHookDialog } from './register-hook-dialog.tsx'
import { RotateSecretDialog } from './rotate-secret-dialog.tsx'
import { SendLiveDialog } from './send-event.tsx'

export function HookDialogs() {
  return (
    <>
      <RegisterHookDialog />
      <ImportHookDialog />
      <EditHookDialog />
      <DeleteHookDialog />
      <RotateSecretDialog />
      <SendLiveDialog />
      <PublicAddressDialog />
    </>
  )
}
