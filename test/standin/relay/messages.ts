/** Messages between the contract's tests and the relay. */

export type ToRelay =
  | { readonly kind: 'open' }
  | { readonly kind: 'text'; readonly wire: number; readonly text: string }
export type FromRelay =
  | { readonly kind: 'joined'; readonly wire: number }
  | { readonly kind: 'heard'; readonly wire: number; readonly text: string }

/** Beginning of each window's first message, which identifies its connection. */
export const GREETING = 'wire:'
