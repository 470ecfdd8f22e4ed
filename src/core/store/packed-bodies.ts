/** Many bodies as one piece of bytes: thousands of small ones cost more to pass from thread to thread than to store. */

/** The bodies one after the other, in bytes of their own, which may be transferred. */
export function packBodies(bodies: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(bodies.reduce((total, { length }) => total + length, 0))
  let offset = 0
  for (const body of bodies) {
    packed.set(body, offset)
    offset += body.length
  }
  return packed
}

/** Gives one body after the other, each of as many bytes as are asked for; nothing is copied. */
export function unpackBodies({ buffer, byteOffset, byteLength }: Uint8Array): (bytes: number) => Buffer {
  const packed = Buffer.from(buffer, byteOffset, byteLength)
  let offset = 0
  return (bytes) => packed.subarray(offset, (offset += bytes))
}
