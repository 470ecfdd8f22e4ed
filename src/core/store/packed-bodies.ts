/** Bodies in one buffer: passing many small ones between threads costs more than storing them. */

export function packBodies(bodies: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(bodies.reduce((total, { length }) => total + length, 0))
  let offset = 0
  for (const body of bodies) {
    packed.set(body, offset)
    offset += body.length
  }
  return packed
}

/** Creates the function that returns one body after the other. */
export function unpackBodies({
  buffer,
  byteOffset,
  byteLength,
}: Uint8Array): (bytes: number) => Buffer {
  const packed = Buffer.from(buffer, byteOffset, byteLength)
  let offset = 0
  return (bytes) => packed.subarray(offset, (offset += bytes))
}
