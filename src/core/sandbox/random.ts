/**
 * Random values that are the same for the same seed. A hash (cyrb128) turns the seed into four
 * words, the state of a generator (sfc32) that mixes them for each number; both are public domain.
 */
export type Random = ReturnType<typeof createRandom>

/** Makes a random stream per path, independent of others. */
export function createRandom(seed: number | string, ...path: readonly string[]) {
  const fraction = sfc32(hash([String(seed), ...path].join('\u0000')))
  const integer = (minimum: number, maximum: number) =>
    minimum + Math.floor(fraction() * (maximum - minimum + 1))
  const characters = (count: number, alphabet: string) =>
    Array.from({ length: count }, () => alphabet.charAt(integer(0, alphabet.length - 1))).join('')
  return {
    /** Returns a number from 0 to 1, excluding 1. */
    fraction,
    /** Returns an integer, both ends included. */
    integer,
    pick<T>(items: readonly T[]): T {
      const item = items[integer(0, items.length - 1)]
      if (item === undefined) throw new Error('The list is empty.')
      return item
    },
    digits: (count: number) => characters(count, '0123456789'),
    code: (length: number) => characters(length, 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789'),
    /** Returns a version 4 UUID. */
    uuid() {
      const hex = characters(30, '0123456789abcdef')
      const variant = characters(1, '89ab')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(15, 18)}-${hex.slice(18, 30)}`
    },
  }
}

type FourWords = [number, number, number, number]

/** Hashes a text to four 32-bit words (cyrb128). */
function hash(text: string): FourWords {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    a = b ^ Math.imul(a ^ code, 597399067)
    b = c ^ Math.imul(b ^ code, 2869860233)
    c = d ^ Math.imul(c ^ code, 951274213)
    d = a ^ Math.imul(d ^ code, 2716044179)
  }
  a = Math.imul(c ^ (a >>> 18), 597399067)
  b = Math.imul(d ^ (b >>> 22), 2869860233)
  c = Math.imul(a ^ (c >>> 17), 951274213)
  d = Math.imul(b ^ (d >>> 19), 2716044179)
  return [(a ^ b ^ c ^ d) >>> 0, b >>> 0, c >>> 0, d >>> 0]
}

/** Numbers to skip, because the first ones still resemble the seed. */
const WARM_UP = 12

/** Makes PractRand's generator sfc32; never for secrets. */
function sfc32([first, second, third, fourth]: FourWords): () => number {
  let [a, b, c, d] = [first | 0, second | 0, third | 0, fourth | 0]
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  for (let count = 0; count < WARM_UP; count++) next()
  return next
}
