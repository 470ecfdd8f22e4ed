/** The app's life cycle, and what Electron refuses in each phase. The sentences are Electron's own, where it has one. */

/** `quitting`: from an accepted `app.quit()` until a window or a listener prevents it. */
export type Phase = 'starting' | 'ready' | 'quitting'

let phase: Phase = 'starting'
let phaseBeforeQuit: Phase = 'starting'

export const currentPhase = (): Phase => phase

export function becomeReady(): void {
  if (phase === 'quitting') phaseBeforeQuit = 'ready'
  else phase = 'ready'
}

export function beginQuit(): void {
  phaseBeforeQuit = phase
  phase = 'quitting'
}

/** A listener or a window prevented the quit. */
export function cancelQuit(): void {
  if (phase === 'quitting') phase = phaseBeforeQuit
}

/** Throws before the app is ready. */
export function requireReady(refusal: string): void {
  if (phase === 'starting') throw new Error(refusal)
}

/** Throws once the app is ready. */
export function requireNotReady(refusal: string): void {
  if (phase !== 'starting') throw new Error(refusal)
}

/** Throws while the app quits: Electron would open the window and never end. */
export function requireNotQuitting(what: string): void {
  if (phase === 'quitting') throw new Error(`The stand-in for electron refuses ${what} while the app quits.`)
}

/** Wraps an object of Electron that can be destroyed: what is called on it afterwards throws, as there. */
export function refuseDestroyed(isDestroyed: () => boolean): (key: PropertyKey) => void {
  const alive = new Set<PropertyKey>([
    'isDestroyed',
    'id',
    'on',
    'once',
    'off',
    'addListener',
    'removeListener',
    'removeAllListeners',
  ])
  return (key) => {
    if (isDestroyed() && typeof key === 'string' && !alive.has(key)) throw new TypeError('Object has been destroyed')
  }
}
