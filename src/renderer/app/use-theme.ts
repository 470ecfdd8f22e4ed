/** Puts the theme on the document: the system's, or the one chosen. */
import { useLayoutEffect } from 'react'
import { useApp } from '../state/use-app.ts'

export function useTheme(): void {
  const theme = useApp((state) => state.preferences.theme)
  useLayoutEffect(() => {
    const light = matchMedia('(prefers-color-scheme: light)')
    const apply = () => {
      document.documentElement.dataset['theme'] = theme === 'system' ? (light.matches ? 'light' : 'dark') : theme
    }
    apply()
    light.addEventListener('change', apply)
    return () => {
      light.removeEventListener('change', apply)
    }
  }, [theme])
}
