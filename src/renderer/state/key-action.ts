/** What a key does. Each feature gives its own actions, in its `key-actions.ts`; the shell puts them together. */
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
