import type { Hook } from '../../../shared/model/hook.ts'
import { useApp } from '../../state/use-app.ts'
import { hooksInOrder } from './hook-status.tsx'

/** The hook that the address names, else the first one; the dialogs of a hook are about it. */
export function useSelectedHook(): Hook | null {
  return useApp(({ core: { hooks }, navigation: { at } }) => {
    const inOrder = hooksInOrder(hooks)
    return inOrder.find(({ id }) => id === at.hooks.id) ?? inOrder[0] ?? null
  })
}
