/** Many bodies as one buffer: passing thousands of small ones between threads costs more than storing them. */

/** The concatenated bodies in their own memory, which can be transferred. */
export function packBodies(bodies: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(bodies.reduce((total, { length }) => total + length, 0))
  let offset = 0
  for (const body of bodies) {
    packed.set(body, offset)
    offset += body.length
  }
  return packed
}

/** Returns one body after the other, each with the requested length, without copying. */
export function unpackBodies({
  buffer,
  byteOffset,
  byteLength,
}: Uint8Array): (bytes: number) => Buffer {
  const packed = Buffer.from(buffer, byteOffset, byteLength)
  let offset = 0
  return (bytes) => packed.subarray(offset, (offset += bytes))
}
