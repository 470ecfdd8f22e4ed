/**
 * What a text may be as a digest: its bytes, and how it departs from plain Base-64. How the result is written is read off the
 * text itself, so the search never has to try it.
 */
import type { Departure } from './departure.ts'
import { digestSizes } from './pass-departures.ts'

export interface Reading {
  readonly digest: Buffer
  /** How the text departs from the plain Base-64 of the digest; null where it does not. */
  readonly departure: Departure<null> | null
}

const sizes = new Set(Object.values(digestSizes))
const PLAIN = 'Give the result in ordinary Base-64, with its padding and nothing around it.'

const spellings = {
  hex: ['encoding:hex', 'The result was given in hexadecimal.'],
  upperHex: ['encoding:upper-hex', 'The result was given in hexadecimal, in upper case.'],
  base64Url: ['encoding:base64url', 'The result was given in URL-safe Base-64.'],
  noPadding: ['encoding:no-padding', 'The result was given in Base-64 without its padding.'],
  base64OfHex: ['encoding:base64-of-hex', 'The Base-64 is of the hexadecimal text of the result, not of its bytes.'],
  base64Twice: ['encoding:base64-twice', 'The result was encoded in Base-64 twice.'],
  decorated: ['encoding:decorated', 'There is something around the result: white space, quotation marks or a prefix.'],
  percent: ['encoding:percent', 'The result was percent-encoded.'],
  plusLost: ['encoding:plus-lost', 'Each + of the Base-64 has become a space, as in a form.'],
} as const satisfies Record<string, readonly [string, string]>

type How = keyof typeof spellings

function departure(how: readonly How[]): Departure<null> | null {
  const [first] = how
  if (first === undefined) return null
  return {
    cause: spellings[first][0],
    what: how.map((one) => spellings[one][1]).join(' '),
    fix: first === 'base64OfHex' ? `Have the hash give its raw bytes, not their hexadecimal text. ${PLAIN}` : PLAIN,
    rank: 1,
    value: null,
  }
}

/** What a text without anything around it may be. */
function readPlain(text: string): { readonly digest: Buffer; readonly how: readonly How[] }[] {
  const found: { digest: Buffer; how: How[] }[] = []
  const add = (digest: Buffer, ...how: How[]) => {
    if (sizes.has(digest.length)) found.push({ digest, how })
  }
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) {
    add(Buffer.from(text, 'hex'), text === text.toUpperCase() && /[A-F]/.test(text) ? 'upperHex' : 'hex')
  }
  // Base-64 of a digest that happens to be hexadecimal throughout does not come up.
  if (found.length === 0 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    const bytes = Buffer.from(text, 'base64')
    const isUrlSafe = /[-_]/.test(text)
    const hasPadding = bytes.length % 3 === 0 || text.endsWith('=')
    const how: How[] = isUrlSafe ? ['base64Url'] : hasPadding ? [] : ['noPadding']
    add(bytes, ...how)
    const inner = bytes.toString('latin1')
    if (/^(?:[0-9a-f]{2})+$/i.test(inner)) add(Buffer.from(inner, 'hex'), 'base64OfHex')
    else if (/^[A-Za-z0-9+/]+={0,2}$/.test(inner)) add(Buffer.from(inner, 'base64'), 'base64Twice')
  }
  return found
}

/** `sha256=`, `v1,`, quotation marks and white space taken off. */
function bare(text: string): string {
  const inner = text.trim().replace(/^(["'])(.*)\1$/s, '$2')
  const afterPrefix = /(?:^|[\s,;])[a-z][a-z0-9_-]{0,19}\s*(?:[:,]|=(?!=*$))\s*([A-Za-z0-9+/_=-]+)$/i.exec(inner)?.[1] ?? inner
  return afterPrefix.replaceAll(/\s+/g, '')
}

/** The likeliest readings of a text, as short a departure as there is first. Empty where it cannot be a digest at all. */
export function readDigest(received: string): readonly Reading[] {
  if (received.length > 1_024) return []
  const texts: [string, How[]][] = [[received, []]]
  if (/%[0-9a-f]{2}/i.test(received))
    texts.push([received.replaceAll(/%2b/gi, '+').replaceAll(/%2f/gi, '/').replaceAll(/%3d/gi, '='), ['percent']])
  if (received.includes(' ')) texts.push([received.replaceAll(' ', '+'), ['plusLost']])
  const stripped = bare(received)
  if (stripped !== received) texts.push([stripped, ['decorated']])
  return texts.flatMap(([text, around]) =>
    readPlain(text).map(({ digest, how }): Reading => ({ digest, departure: departure([...around, ...how]) })),
  )
}
