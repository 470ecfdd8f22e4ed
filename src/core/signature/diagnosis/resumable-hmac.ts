/**
 * An HMAC whose beginning is hashed once for many ends: most mistakes share the body and differ in what comes after it, and a
 * body of many kilobytes is most of the work. Node's own HMAC cannot be copied half-way; its hashes can.
 */
import { createHash, type KeyObject } from 'node:crypto'

/** Bytes in a block of a hash, to which the key is filled up. */
const blockSizes: Readonly<Record<string, number>> = { md5: 64, sha1: 64, sha256: 64, sha384: 128, sha512: 128 }

/** Makes the HMAC of `beginning` followed by whatever is given. */
export function resumableHmac(
  algorithm: string,
  key: KeyObject,
  beginning: Uint8Array,
): (rest: readonly (Uint8Array | string)[]) => Buffer {
  const block = blockSizes[algorithm] ?? 64
  const bytes = key.export()
  const padded = Buffer.alloc(block)
  padded.set(bytes.length > block ? createHash(algorithm).update(bytes).digest() : bytes)
  const pad = (value: number) => padded.map((byte) => byte ^ value)
  const begun = createHash(algorithm).update(pad(0x36)).update(beginning)
  const outer = pad(0x5c)
  return (rest) => {
    const inner = begun.copy()
    for (const piece of rest) inner.update(piece)
    return createHash(algorithm).update(outer).update(inner.digest()).digest()
  }
}
