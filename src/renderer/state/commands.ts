/**
 * Types for keyboard actions and palette items. Each feature defines its own in `commands.ts` or `index.ts`; the shell combines
 * them.
 */
import type { AppStore } from './store.ts'

/** False if the action doesn't apply here, so that the key keeps its usual meaning. */
export type RunKey = (store: AppStore) => boolean

/** An action that always applies. */
export function always(act: (state: ReturnType<AppStore['getState']>) => unknown): RunKey {
  return (store) => {
    act(store.getState())
    return true
  }
}

/** Clicks the action's button on screen, so that whatever disables the button disables the key too. */
export function press(id: string): RunKey {
  return () => {
    document.getElementById(id)?.click()
    return true
  }
}

export interface PaletteItem {
  readonly value: string
  readonly label: string
  readonly note?: string
  readonly keys?: string
  run(): void
}

export interface PaletteGroup {
  readonly value: string
  readonly items: readonly PaletteItem[]
}

/** An item that is available only in some states of the app. */
export function when(holds: boolean, ...items: readonly PaletteItem[]): readonly PaletteItem[] {
  return holds ? items : []
}
