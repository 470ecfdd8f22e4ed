/** Whether the window is under so many pixels wide, 900 where nothing else is said: panes then stand one above the other. */
import { useCallback, useSyncExternalStore } from 'react'

export function useNarrow(below = 900): boolean {
  const query = `(max-width: ${below - 1}px)`
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query)
      media.addEventListener('change', listener)
      return () => {
        media.removeEventListener('change', listener)
      }
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
