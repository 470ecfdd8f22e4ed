/** What the contract's tests and the relay say to each other. */

/** What the test says to this process, and hears from it. */
export type ToRelay = { readonly kind: 'open' } | { readonly kind: 'text'; readonly wire: number; readonly text: string }
export type FromRelay =
  { readonly kind: 'joined'; readonly wire: number } | { readonly kind: 'heard'; readonly wire: number; readonly text: string }

/** The first text of each window says which wire it is. */
export const GREETING = 'wire:'
