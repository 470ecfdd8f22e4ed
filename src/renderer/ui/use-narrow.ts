/** Whether the window is under 900 pixels wide: panes then stand one above the other. */
import { useSyncExternalStore } from 'react'

const query = '(max-width: 899px)'

function subscribe(listener: () => void) {
  const media = matchMedia(query)
  media.addEventListener('change', listener)
  return () => {
    media.removeEventListener('change', listener)
  }
}

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
