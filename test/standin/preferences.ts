/** Checks the `webPreferences` of a window: the stand-in refuses those that it can't show. */
import type { WebPreferences } from 'electron'

/** Preferences that must be written out, because defaults differ between versions of Electron. */
const required: WebPreferences = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webSecurity: true,
  // Electron's own spelling checker downloads dictionaries from another host.
  spellcheck: false,
}
const optional: WebPreferences = {
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webviewTag: false,
  backgroundThrottling: false,
}

/** Returns the preload of a window. Throws for an unsafe or unknown preference. */
export function safePreload(preferences: WebPreferences = {}): string {
  const { preload, ...others } = preferences
  const accepted = new Map(Object.entries({ ...required, ...optional }))
  const given = new Map<string, unknown>(Object.entries(others))
  const refused = [...new Set([...Object.keys(required), ...given.keys()])].filter(
    (key) => !accepted.has(key) || given.get(key) !== accepted.get(key),
  )
  if (preload === undefined) refused.push('preload')
  const shown = refused.map((key) => `${key}: ${String(given.get(key))}`)
  if (refused.length > 0)
    throw new Error(`The stand-in for electron refuses webPreferences { ${shown.join(', ')} }.`)
  return String(preload)
}
