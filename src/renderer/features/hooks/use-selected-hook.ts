import type { Hook } from '../../../shared/model/hook.ts'
import { useApp } from '../../state/use-app.ts'

/** The selected hook, which the dialogs of a hook are about. */
export function useSelectedHook(): Hook | null {
  return useApp(({ core, hooks }) => core.hooks.find(({ id }) => id === hooks.selectedId) ?? null)
}
