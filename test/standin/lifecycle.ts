/** The app's life cycle: Electron rejects some calls in each phase, with these messages. */

/** Phase of the app; `quitting` lasts until a window or a listener prevents it. */
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

/** Returns to the phase before the quit, which a listener or a window prevented. */
export function cancelQuit(): void {
  if (phase === 'quitting') phase = phaseBeforeQuit
}

export function requireReady(refusal: string): void {
  if (phase === 'starting') throw new Error(refusal)
}

export function requireNotReady(refusal: string): void {
  if (phase !== 'starting') throw new Error(refusal)
}

/** Throws while the app quits: Electron would open the window and keep running. */
export function requireNotQuitting(what: string): void {
  if (phase === 'quitting')
    throw new Error(`The stand-in for electron refuses ${what} while the app quits.`)
}

/** Returns a `refuse` of `strict`: members of a destroyed object throw, as in Electron. */
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
    if (isDestroyed() && typeof key === 'string' && !alive.has(key))
      throw new TypeError('Object has been destroyed')
  }
}
