/** Encodes PNGs with 256 colors, a third of the size of a browser's screenshot. */
import { crc32, deflateSync } from 'node:zlib'

const MOST_COLOURS = 256
/**
 * Minimum squared distances of the colors chosen in each pass: rare colors precede shades of common
 * ones.
 */
const DISTANCES = [1_200, 300, 27]

export interface Pixels {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of each pixel, row after row. */
  readonly rgba: Uint8Array
}

function distance(left: number, right: number): number {
  const red = (left >> 16) - (right >> 16)
  const green = ((left >> 8) & 255) - ((right >> 8) & 255)
  const blue = (left & 255) - (right & 255)
  return red * red + green * green + blue * blue
}

function chooseColours(counts: ReadonlyMap<number, number>): number[] {
  const chosen: number[] = []
  const byCount = [...counts].sort(([, left], [, right]) => right - left)
  for (const least of DISTANCES)
    for (const [colour] of byCount) {
      if (chosen.length === MOST_COLOURS) return chosen
      if (chosen.every((other) => distance(colour, other) > least)) chosen.push(colour)
    }
  return chosen
}

/** Returns a PNG chunk: length, name, data, checksum. */
export function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

export function palettePng({ width, height, rgba }: Pixels): Buffer {
  const colourAt = (at: number) =>
    ((rgba[at] ?? 0) << 16) | ((rgba[at + 1] ?? 0) << 8) | (rgba[at + 2] ?? 0)
  const counts = new Map<number, number>()
  for (let at = 0; at < rgba.length; at += 4)
    counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1)
  const colours = chooseColours(counts)
  const indexOf = new Map<number, number>()
  for (const colour of counts.keys()) {
    let nearest = 0
    for (const [index, other] of colours.entries())
      if (distance(colour, other) < distance(colour, colours[nearest] ?? 0)) nearest = index
    indexOf.set(colour, nearest)
  }
  // Each row begins with its filter: none, which is best for a palette.
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + 1 + x] = indexOf.get(colourAt((y * width + x) * 4)) ?? 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const palette = Buffer.from(
    colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  )
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('PLTE', palette),
    pngChunk('IDAT', deflateSync(rows, { level: 9 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}
