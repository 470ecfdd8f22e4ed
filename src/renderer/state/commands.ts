/** What a key does, and what the palette offers. Each feature gives its own, in its `commands.ts` or `index.ts`; the shell puts them together. */
import type { AppStore } from './store.ts'

/** False where it does nothing here, so that the key keeps its usual meaning. */
export type RunKey = (store: AppStore) => boolean

/** An action that always does something. */
export function always(act: (state: ReturnType<AppStore['getState']>) => unknown): RunKey {
  return (store) => {
    act(store.getState())
    return true
  }
}

/** Presses the button that stands for it on the screen, so that what keeps it from being pressed holds for the key, too. */
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

/** An item that is there only in some states of the app. */
export function when(holds: boolean, ...items: readonly PaletteItem[]): readonly PaletteItem[] {
  return holds ? items : []
}
