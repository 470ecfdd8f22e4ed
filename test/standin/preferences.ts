/**
 * Which `webPreferences` a window may have here. The stand-in can't show what others do, so it refuses them: a key that isn't listed
 * must be left out.
 */
import type { WebPreferences } from 'electron'

/** Must be written out, whatever a version of Electron means by a missing key. */
const required: WebPreferences = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webSecurity: true,
  // Electron's own spelling checker downloads dictionaries from another host.
  spellcheck: false,
}
/** May be left out. */
const optional: WebPreferences = {
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webviewTag: false,
  backgroundThrottling: false,
}

/** The preload of a window. Throws for a preference that is unsafe, or that the stand-in doesn't model. */
export function safePreload(wanted: WebPreferences = {}): string {
  const { preload, ...others } = wanted
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
