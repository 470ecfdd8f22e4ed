/**
 * Gives the memory of large bytes back at once. V8 hardly counts what lies outside its heap: until a thread collects its garbage, tens
 * of megabytes of bodies that nobody needs any more would stay.
 */

/** Smaller ones, in bytes, the next collection of the young generation takes along for less. */
const LARGE = 65_536

/** Empties `bytes`, which nobody may read after this; those that share their memory with others, or are small, are left alone. */
export function giveBack(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (bytes.byteLength >= LARGE && buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0)
}
