/** Random values that are the same for the same seed on every computer; the sandbox generates its objects from them. */

export interface Random {
  /** From 0 to 1, excluding 1. */
  fraction(): number
  /** Both ends included. */
  integer(least: number, most: number): number
  pick<T>(items: readonly T[]): T
  digits(count: number): string
  /** Uppercase letters and digits. */
  code(length: number): string
  /** A version 4 UUID. */
  uuid(): string
}

/** A separate stream for each path under a seed: a brand's values don't change if a card draws more. */
export function createRandom(seed: number | string, ...path: readonly string[]): Random {
  const fraction = sfc32(hash([String(seed), ...path].join('\u0000')))
  const integer = (least: number, most: number) =>
    least + Math.floor(fraction() * (most - least + 1))
  const characters = (count: number, alphabet: string) =>
    Array.from({ length: count }, () => alphabet.charAt(integer(0, alphabet.length - 1))).join('')
  return {
    fraction,
    integer,
    pick<T>(items: readonly T[]): T {
      const item = items[integer(0, items.length - 1)]
      if (item === undefined) throw new Error('The list is empty.')
      return item
    },
    digits: (count) => characters(count, '0123456789'),
    code: (length) => characters(length, 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789'),
    uuid() {
      const hex = characters(30, '0123456789abcdef')
      const variant = characters(1, '89ab')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(15, 18)}-${hex.slice(18, 30)}`
    },
  }
}

/** Four 32-bit words from a text (cyrb128, public domain): similar seeds give unrelated streams. */
function hash(text: string): [number, number, number, number] {
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

/** The generator sfc32 of PractRand (public domain): small, and good enough for realistic data. Never for secrets. */
function sfc32([first, second, third, fourth]: [number, number, number, number]): () => number {
  let [a, b, c, d] = [first | 0, second | 0, third | 0, fourth | 0]
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return (sum >>> 0) / 4294967296
  }
  // The first outputs still resemble the seed.
  for (let count = 0; count < 12; count++) next()
  return next
}
