import type { Hook } from '../../../shared/model/hook.ts'
import type { Overlay } from '../../state/navigation-slice.ts'
import { useAppParts } from '../../state/use-app.ts'

/** The selected hook while this dialog of it is open, otherwise null; and how to close the dialog. */
export function useDialogHook(overlay: Overlay): {
  readonly hook: Hook | null
  readonly closeOverlay: () => void
} {
  return useAppParts(({ navigation, core, hooks }) => ({
    hook:
      navigation.overlay === overlay
        ? (core.hooks.find(({ id }) => id === hooks.selectedId) ?? null)
        : null,
    closeOverlay: navigation.closeOverlay,
  }))
}
