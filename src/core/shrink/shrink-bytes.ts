/** The smallest bytes that still fail, of a body that has no structure to go by. */
import { ddmin } from './ddmin.ts'

/** `start` fails. Resolves with bytes that fail, of which no single one can go. */
export async function shrinkBytes(start: Uint8Array, fails: (bytes: Uint8Array) => Promise<boolean>): Promise<Uint8Array> {
  return Uint8Array.from(await ddmin([...start], (kept) => fails(Uint8Array.from(kept))))
}
