/** Reads the digests that a text may stand for, in any encoding. */
import type { NamedMistake } from './mistake.ts'
import { digestSizes } from './passes.ts'

export interface DigestReading {
  readonly digest: Buffer
  /** Encoding other than plain Base64, if any. */
  readonly mistake: NamedMistake | null
}

/** Length in characters above which a text isn't read. */
const MAX_RECEIVED_LENGTH = 1_024

/** Returns the likeliest readings; none if it can't be a digest. */
export function readDigest(received: string): readonly DigestReading[] {
  if (received.length > MAX_RECEIVED_LENGTH) return []
  const texts: { readonly text: string; readonly encoding: EncodingName | null }[] = [
    { text: received, encoding: null },
  ]
  if (/%[0-9a-f]{2}/i.test(received))
    texts.push({
      text: received.replaceAll(/%2b/gi, '+').replaceAll(/%2f/gi, '/').replaceAll(/%3d/gi, '='),
      encoding: 'percent',
    })
  if (received.includes(' '))
    texts.push({ text: received.replaceAll(' ', '+'), encoding: 'plus-lost' })
  const values = received.split(/, ?/)
  if (values.length > 1 && values.every((value) => readPlain(value).length > 0))
    for (const text of new Set(values)) texts.push({ text, encoding: 'several' })
  const stripped = withoutDecoration(received)
  if (stripped !== received) texts.push({ text: stripped, encoding: 'decorated' })
  return texts.flatMap(({ text, encoding: outer }) =>
    readPlain(text).map(({ digest, encoding }): DigestReading => ({
      digest,
      mistake: mistakeOf([outer, encoding].filter((name) => name !== null)),
    })),
  )
}

function mistakeOf(encodings: readonly EncodingName[]): NamedMistake | null {
  if (encodings.length === 0) return null
  return {
    causes: encodings.map((name) => `encoding:${name}`),
    what: encodings.map((name) => digestEncodings[name]).join(' '),
    fix: encodings.includes('base64-of-hex')
      ? `Make the hash return raw bytes, not hexadecimal text. ${PLAIN_BASE64_FIX}`
      : PLAIN_BASE64_FIX,
  }
}

const byteSizes = new Set(Object.values(digestSizes))
const PLAIN_BASE64_FIX = 'Return the result in standard Base64, with padding and nothing around it.'

/** Sentences about encodings of a digest other than plain Base64, by the detail of the cause. */
export const digestEncodings = {
  hex: 'The signature is in hexadecimal.',
  'upper-hex': 'The signature is in uppercase hexadecimal.',
  'spaced-hex': 'The signature is in hexadecimal with 0x or something between the bytes.',
  'byte-list': 'The signature is a list of numbers, one for each byte.',
  base64url: 'The signature is in URL-safe Base64.',
  'no-padding': 'The signature is in Base64 without padding.',
  'base64-of-hex': 'The signature is the Base64 of the hexadecimal text, not of the bytes.',
  'base64-twice': 'The signature was encoded in Base64 twice.',
  several: 'The signature header has several values, as if a proxy merged repeated headers.',
  decorated: 'The signature has whitespace, quotes or a prefix around it.',
  percent: 'The signature was percent-encoded.',
  'plus-lost': 'Each + in the signature became a space, as in form data.',
}

type EncodingName = keyof typeof digestEncodings

/** Returns the readings of a text with nothing around it. */
function readPlain(
  text: string,
): { readonly digest: Buffer; readonly encoding: EncodingName | null }[] {
  const readings: { digest: Buffer; encoding: EncodingName | null }[] = []
  const add = (digest: Buffer, encoding: EncodingName | null) => {
    if (byteSizes.has(digest.length)) readings.push({ digest, encoding })
  }
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) {
    add(
      Buffer.from(text, 'hex'),
      text === text.toUpperCase() && /[A-F]/.test(text) ? 'upper-hex' : 'hex',
    )
  }
  const pairs = text.replace(/^0x/i, '')
  const joined = pairs.replaceAll(/[-: ]/g, '')
  if (joined !== text && /^[0-9a-f]{2}([-: ]?)(?:[0-9a-f]{2}\1)*[0-9a-f]{2}$/i.test(pairs))
    add(Buffer.from(joined, 'hex'), 'spaced-hex')
  if (/^\[?-?\d{1,3}(?:, ?-?\d{1,3})+\]?$/.test(text))
    add(Buffer.from(text.match(/-?\d+/g)?.map(Number) ?? []), 'byte-list')
  // Base64 of hexadecimal digits only doesn't occur in practice.
  if (readings.length === 0 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    const bytes = Buffer.from(text, 'base64')
    const isUrlSafe = /[-_]/.test(text)
    const hasPadding = bytes.length % 3 === 0 || text.endsWith('=')
    add(bytes, isUrlSafe ? 'base64url' : hasPadding ? null : 'no-padding')
    const inner = withoutDecoration(bytes.toString('latin1'))
    if (/^(?:[0-9a-f]{2})+$/i.test(inner)) add(Buffer.from(inner, 'hex'), 'base64-of-hex')
    else if (/^[A-Za-z0-9+/]+={0,2}$/.test(inner)) add(Buffer.from(inner, 'base64'), 'base64-twice')
  }
  return readings
}

/** Characters before a digest, and the digest: `t=1,v1=…`, `SHA2-256(stdin)= …`, `sha256: …`. */
const AFTER_PREFIX =
  /(?:^|[\s,;])(?:[a-z][a-z0-9_-]{0,19}|(?=\())(?:\([^()]{0,99}\))?\s*(?:[:,]|=(?!=*$))\s*([A-Za-z0-9+/_=-]+)$/i

/** Removes prefixes such as `v1=`, quotes (`"…"`, `b'…\n'`), ` *stdin` and whitespace. */
function withoutDecoration(text: string): string {
  const inner = text
    .trim()
    .replace(/^b?(["'])(.*)\1$/s, '$2')
    .replace(/(?<!\\[rn])(?:\\[rn])+$/, '')
    .replace(/ [ *](?:-|stdin)$/, '')
  return (AFTER_PREFIX.exec(inner)?.[1] ?? inner).replaceAll(/\s+/g, '')
}
