/** The dialog of the public URL, and of hooks that still use an earlier URL. */
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { useApp } from '../../ui-state/use-app.ts'
import { PublicUrlForm } from './public-url-form.tsx'
import { RepointHooks } from './repoint-hooks.tsx'

/** Sets the public URL. What the overlay is about is the URL before, if hooks still point to it. */
export function PublicUrlDialog() {
  const from = useApp((state) => state.navigation.about)
  return (
    <OverlayDialog
      overlay="public-address"
      title={from === null ? 'Public URL' : 'Re-point hooks'}
      description={
        from === null
          ? 'The URL of your tunnel or proxy. The service reaches this computer through it, and new hooks are registered under it.'
          : 'Registers the same paths under the new URL.'
      }
    >
      {(close) =>
        from === null ? (
          <PublicUrlForm onDone={close} />
        ) : (
          <RepointHooks from={from} onDone={close} />
        )
      }
    </OverlayDialog>
  )
}
