import { fc, test as property } from '@fast-check/vitest'
import { expect } from 'vitest'
import { secretKey } from '../sign.ts'
import { secretMistakes } from './secret-mistakes.ts'
import { times } from '../../../../test/support/long-form.ts'

/**
 * Returns every key that a diagnosis confirms for a secret, alone or as the second of two mistakes.
 */
function confirmedKeys(secret: string): readonly Buffer[] {
  const { singles, pairs } = secretMistakes({
    body: new Uint8Array(),
    url: 'https://a.example/',
    timestamp: '1763700000000',
    received: '',
    key: secretKey(secret),
    signer: 'user',
    otherSecrets: [],
    otherUrls: [],
    otherTimestamps: [],
    otherBodies: [],
  })
  return [...singles, ...pairs()].map(({ value }) => value)
}

/** Spellings in which a part of a secret could be confirmed. */
const spellings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toLowerCase(),
  (text) => text.toUpperCase(),
  (text) => Buffer.from(text).toString('hex'),
  (text) => Buffer.from(text, 'base64').toString('latin1'),
  (text) => Buffer.from(text, 'hex').toString('latin1'),
  (text) => Buffer.from(text).toString('base64'),
]

const anySecret = fc
  .tuple(
    fc.constantFrom('', 'whsec_', 'sk_live_'),
    fc.oneof(
      fc.stringMatching(/^[0-9a-f]{4,70}$/),
      fc.stringMatching(/^[\w-]{4,70}$/),
      fc.stringMatching(/^[!-~]{4,70}$/),
      fc.uuid(),
    ),
  )
  // Base64 is decoded with or without its padding.
  .map((parts) => parts.join('').replace(/=+$/, ''))

property.prop([anySecret, fc.nat({ max: 80 }), fc.boolean()], { numRuns: times(300, 5_000) })(
  'a part of a secret is confirmed only if at least 16 characters and all but a few are there',
  (secret, count, isEnd) => {
    const part = isEnd ? secret.slice(-count) : secret.slice(0, count)
    const [prefix = ''] = /^[a-z]{2,10}_(?:test_|live_)?/i.exec(secret) ?? []
    const missing = secret.length - part.length - (isEnd ? prefix.length : 0)
    // Shorter parts, and what their spellings leave, are equal to others by chance.
    fc.pre(part.length >= 4 && part !== secret && (part.length < 16 || missing > 4))
    // Whitespace around a decoded secret is trimmed.
    const decoded = [Buffer.from(secret, 'base64'), Buffer.from(secret, 'hex')]
    fc.pre(decoded.every((bytes) => !/[\s\0\p{Cf}]/u.test(bytes.toString())))
    const keys = new Set(confirmedKeys(secret).map((key) => key.toString('latin1')))
    const parts = spellings.map((spelled) => spelled(part)).filter(({ length }) => length > 2)
    expect(parts.filter((text) => keys.has(text))).toEqual([])
  },
)
