/** Messages between the contract's tests and the relay. */

/** Messages that the test sends to the relay and receives from it. */
export type ToRelay =
  | { readonly kind: 'open' }
  | { readonly kind: 'text'; readonly wire: number; readonly text: string }
export type FromRelay =
  | { readonly kind: 'joined'; readonly wire: number }
  | { readonly kind: 'heard'; readonly wire: number; readonly text: string }

/** The first message of each window identifies its connection. */
export const GREETING = 'wire:'
