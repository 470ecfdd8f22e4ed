/** Reads the digests that a text may stand for, in any encoding. */
import type { Mismatch } from './mismatch.ts'
import { digestSizes } from './pass-mismatches.ts'

export interface Reading {
  readonly digest: Buffer
  /** Deviation from plain Base64, if any. */
  readonly mismatch: Mismatch<null> | null
}

const byteSizes = new Set(Object.values(digestSizes))
const PLAIN_BASE64_FIX = 'Return the result in standard Base64, with padding and nothing around it.'

/** Encodings of a digest. */
export const digestEncodings = {
  hex: ['encoding:hex', 'The signature is in hexadecimal.'],
  upperHex: ['encoding:upper-hex', 'The signature is in uppercase hexadecimal.'],
  spacedHex: [
    'encoding:spaced-hex',
    'The signature is in hexadecimal with 0x or something between the bytes.',
  ],
  byteList: ['encoding:byte-list', 'The signature is a list of numbers, one for each byte.'],
  base64Url: ['encoding:base64url', 'The signature is in URL-safe Base64.'],
  noPadding: ['encoding:no-padding', 'The signature is in Base64 without padding.'],
  base64OfHex: [
    'encoding:base64-of-hex',
    'The signature is the Base64 of the hexadecimal text, not of the bytes.',
  ],
  base64Twice: ['encoding:base64-twice', 'The signature was encoded in Base64 twice.'],
  several: [
    'encoding:several',
    'The signature header has several values, as if a proxy merged repeated headers.',
  ],
  decorated: ['encoding:decorated', 'The signature has whitespace, quotes or a prefix around it.'],
  percent: ['encoding:percent', 'The signature was percent-encoded.'],
  plusLost: ['encoding:plus-lost', 'Each + in the signature became a space, as in form data.'],
} as const satisfies Record<string, readonly [string, string]>

type EncodingName = keyof typeof digestEncodings

function mismatchOf(how: readonly EncodingName[]): Mismatch<null> | null {
  if (how.length === 0) return null
  return {
    causes: how.map((name) => digestEncodings[name][0]),
    what: how.map((name) => digestEncodings[name][1]).join(' '),
    fix: how.includes('base64OfHex')
      ? `Make the hash return raw bytes, not hexadecimal text. ${PLAIN_BASE64_FIX}`
      : PLAIN_BASE64_FIX,
    rank: 1,
    value: null,
  }
}

/** Returns the readings of a text with nothing around it. */
function readPlain(
  text: string,
): { readonly digest: Buffer; readonly how: readonly EncodingName[] }[] {
  const readings: { digest: Buffer; how: EncodingName[] }[] = []
  const add = (digest: Buffer, ...how: EncodingName[]) => {
    if (byteSizes.has(digest.length)) readings.push({ digest, how })
  }
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) {
    add(
      Buffer.from(text, 'hex'),
      text === text.toUpperCase() && /[A-F]/.test(text) ? 'upperHex' : 'hex',
    )
  }
  const pairs = text.replace(/^0x/i, '')
  const joined = pairs.replaceAll(/[-: ]/g, '')
  if (joined !== text && /^[0-9a-f]{2}([-: ]?)(?:[0-9a-f]{2}\1)*[0-9a-f]{2}$/i.test(pairs))
    add(Buffer.from(joined, 'hex'), 'spacedHex')
  if (/^\[?-?\d{1,3}(?:, ?-?\d{1,3})+\]?$/.test(text))
    add(Buffer.from(text.match(/-?\d+/g)?.map(Number) ?? []), 'byteList')
  // Base64 of hexadecimal digits only doesn't occur in practice.
  if (readings.length === 0 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    const bytes = Buffer.from(text, 'base64')
    const isUrlSafe = /[-_]/.test(text)
    const hasPadding = bytes.length % 3 === 0 || text.endsWith('=')
    const how: EncodingName[] = isUrlSafe ? ['base64Url'] : hasPadding ? [] : ['noPadding']
    add(bytes, ...how)
    const inner = withoutDecoration(bytes.toString('latin1'))
    if (/^(?:[0-9a-f]{2})+$/i.test(inner)) add(Buffer.from(inner, 'hex'), 'base64OfHex')
    else if (/^[A-Za-z0-9+/]+={0,2}$/.test(inner)) add(Buffer.from(inner, 'base64'), 'base64Twice')
  }
  return readings
}

/** Removes `sha256=`, `v1,`, `SHA2-256(stdin)= `, quotes (`"…"`, `b'…\n'`) and whitespace. */
function withoutDecoration(text: string): string {
  const inner = text
    .trim()
    .replace(/^b?(["'])(.*)\1$/s, '$2')
    .replace(/(?<!\\[rn])(?:\\[rn])+$/, '')
    .replace(/ [ *](?:-|stdin)$/, '')
  const afterPrefix =
    /(?:^|[\s,;])(?:[a-z][a-z0-9_-]{0,19}|(?=\())(?:\([^()]{0,99}\))?\s*(?:[:,]|=(?!=*$))\s*([A-Za-z0-9+/_=-]+)$/i.exec(
      inner,
    )?.[1] ?? inner
  return afterPrefix.replaceAll(/\s+/g, '')
}

/** Returns the likeliest readings; none if it can't be a digest. */
export function readDigest(received: string): readonly Reading[] {
  if (received.length > 1_024) return []
  const texts: [string, EncodingName[]][] = [[received, []]]
  if (/%[0-9a-f]{2}/i.test(received))
    texts.push([
      received.replaceAll(/%2b/gi, '+').replaceAll(/%2f/gi, '/').replaceAll(/%3d/gi, '='),
      ['percent'],
    ])
  if (received.includes(' ')) texts.push([received.replaceAll(' ', '+'), ['plusLost']])
  const values = received.split(/, ?/)
  if (values.length > 1 && values.every((value) => readPlain(value).length > 0))
    for (const value of new Set(values)) texts.push([value, ['several']])
  const stripped = withoutDecoration(received)
  if (stripped !== received) texts.push([stripped, ['decorated']])
  return texts.flatMap(([text, wrapping]) =>
    readPlain(text).map(({ digest, how }): Reading => ({
      digest,
      mismatch: mismatchOf([...wrapping, ...how]),
    })),
  )
}
