/** Faults that the sandbox can introduce, in words. */
import type { Fault } from './notification.ts'

export const faultMeanings: Readonly<
  Record<Fault, { readonly name: string; readonly meaning: string }>
> = {
  duplicate: { name: 'Duplicate', meaning: 'Sent again after it was acknowledged.' },
  'out-of-order': { name: 'Out of order', meaning: 'The latest event arrives first.' },
  late: { name: 'Late', meaning: 'The event is a day old, its signature is fresh.' },
  'wrong-secret': { name: 'Wrong secret', meaning: 'Signed with a different secret.' },
  'single-pass': { name: 'Hashed once', meaning: 'Signed with one hash instead of two.' },
  stale: { name: 'Stale', meaning: 'Signed ten minutes ago.' },
  'altered-body': { name: 'Altered body', meaning: 'One digit changed after signing.' },
}
