/** The smallest bytes that still fail, of a body that has no structure to go by. */
import { ddmin } from './ddmin.ts'

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const both = new Uint8Array(head.length + tail.length)
  both.set(head)
  both.set(tail, head.length)
  return both
}

/** `start` fails. Resolves with bytes that fail, of which no single one can go. */
export function shrinkBytes(start: Uint8Array, fails: (bytes: Uint8Array) => Promise<boolean>): Promise<Uint8Array> {
  return ddmin(start, joined, fails)
}
