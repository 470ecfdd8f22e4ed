import { createHmac } from 'node:crypto'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { secretKey, signDelivery } from './sign.ts'
import {
  equalBytes,
  judgeFreshness,
  isSignedBy,
  createStreamedVerification,
  type Candidate,
} from './verify.ts'

const bytes = fc.uint8Array({ maxLength: 300 })
const text = fc.string({ unit: 'binary', maxLength: 60 })
/** Texts that aren't empty, because an empty part has no bit to change. */
const something = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 60 })

function candidate(url: string, secret: string): Candidate {
  return { hookId: 'a', url, key: secretKey(secret) }
}

/**
 * Computes a signature literally by section 5.2: Base64 of an HMAC over the Base64 of an HMAC over
 * one byte string.
 */
function byTheWords(body: Uint8Array, url: string, timestamp: string, secret: string): string {
  const whole = Buffer.concat([body, Buffer.from(url, 'utf8'), Buffer.from(timestamp, 'utf8')])
  const first = createHmac('sha256', Buffer.from(secret, 'utf8')).update(whole).digest('base64')
  return createHmac('sha256', Buffer.from(secret, 'utf8'))
    .update(Buffer.from(first, 'ascii'))
    .digest('base64')
}

describe('a signature', () => {
  property.prop([bytes, text, text, text])(
    'is what the words of section 5.2 say, and is valid',
    (body, url, timestamp, secret) => {
      const { signature } = signDelivery({ body, url, timestamp, key: secretKey(secret) })
      expect(signature).toBe(byTheWords(body, url, timestamp, secret))
      expect(isSignedBy(candidate(url, secret), body, timestamp, signature)).toBe(true)
    },
  )

  property.prop([
    fc.uint8Array({ minLength: 1, maxLength: 300 }),
    something,
    something,
    something,
    fc.nat(),
    fc.integer({ min: 0, max: 6 }),
  ])(
    'is not valid where one bit is changed anywhere',
    (body, url, timestamp, secret, position, bit) => {
      const { signature } = signDelivery({ body, url, timestamp, key: secretKey(secret) })
      const flip = (part: Uint8Array) => {
        const changed = Buffer.from(part)
        changed[position % changed.length]! ^= 1 << bit
        return changed
      }
      const flipText = (part: string) => flip(Buffer.from(part, 'latin1')).toString('latin1')
      expect(isSignedBy(candidate(url, secret), flip(body), timestamp, signature)).toBe(false)
      expect(isSignedBy(candidate(flipText(url), secret), body, timestamp, signature)).toBe(false)
      expect(isSignedBy(candidate(url, flipText(secret)), body, timestamp, signature)).toBe(false)
      expect(isSignedBy(candidate(url, secret), body, flipText(timestamp), signature)).toBe(false)
      expect(isSignedBy(candidate(url, secret), body, timestamp, flipText(signature))).toBe(false)
    },
  )

  property.prop([bytes, text, text, text, text])(
    'never makes the verifier throw, whatever was received',
    (body, url, timestamp, secret, received) => {
      expect(isSignedBy(candidate(url, secret), body, timestamp, received)).toBe(
        received === byTheWords(body, url, timestamp, secret),
      )
    },
  )

  test.each([
    ['empty', ''],
    ['equally long in characters, not in bytes', 'é'.repeat(44)],
    ['a megabyte long', 'A'.repeat(1_048_576)],
    ['a lone surrogate', '\ud800'],
    ['NUL bytes', '\0'.repeat(44)],
  ])('received %s is not valid, and nothing is thrown', (_name, received) => {
    expect(isSignedBy(candidate('https://a.example/', 's'), Buffer.from('{}'), '1', received)).toBe(
      false,
    )
  })
})

property.prop([fc.array(bytes, { maxLength: 6 }), something, something])(
  'a streamed body is judged as the same body in one piece',
  (chunks, timestamp, secret) => {
    const candidates = [
      candidate('https://a.example/1', 'other'),
      candidate('https://a.example/2', secret),
      candidate('https://a.example/3', secret),
    ]
    const key = secretKey(secret)
    const { signature } = signDelivery({
      body: Buffer.concat(chunks),
      url: 'https://a.example/2',
      timestamp,
      key,
    })
    const stream = createStreamedVerification(candidates)
    for (const chunk of chunks) stream.update(chunk)
    expect(stream.finish(timestamp, signature)?.url).toBe('https://a.example/2')
    const none = createStreamedVerification(candidates)
    for (const chunk of chunks) none.update(chunk)
    expect(none.finish(`${timestamp}1`, signature)).toBe(null)
  },
)

property.prop([text, text])('two texts are equal exactly where their bytes are', (left, right) => {
  expect(equalBytes(left, right)).toBe(Buffer.from(left).equals(Buffer.from(right)))
  expect(equalBytes(left, left)).toBe(true)
})

const AT = 1_763_700_000_000

describe('the freshness of a timestamp, at receipt', () => {
  test.each([
    ['now', String(AT), 'fresh'],
    ['300 s old', String(AT - 300_000), 'fresh'],
    ['a millisecond older', String(AT - 300_001), 'stale'],
    ['300 s ahead', String(AT + 300_000), 'fresh'],
    ['a millisecond further', String(AT + 300_001), 'future'],
    ['in seconds', String(AT / 1_000), 'stale'],
    ['in microseconds', String(AT * 1_000), 'future'],
    ['zero', '0', 'stale'],
    ['negative', '-1', 'stale'],
    ['with leading zeros', `000${AT}`, 'fresh'],
    ['absent', null, 'missing'],
    ['empty', '', 'missing'],
    ['whitespace', ' ', 'missing'],
    ['a number followed by letters', '12abc', 'missing'],
    ['an exponent', '1e3', 'missing'],
    ['a fraction', `${AT}.5`, 'missing'],
    ['hexadecimal', '0x19a', 'missing'],
    ['signed with a plus', `+${AT}`, 'missing'],
    ['in other digits', '１７６３７０００００００００', 'missing'],
    ['ISO 8601', new Date(AT).toISOString(), 'missing'],
    ['two lines', `${AT}\n${AT}`, 'missing'],
    ['followed by a newline', `${AT}\n`, 'missing'],
    ['NaN', 'NaN', 'missing'],
    ['larger than any date', '9'.repeat(18), 'missing'],
  ] as const)('%s', (_name, timestamp, freshness) => {
    expect(judgeFreshness(timestamp, AT)).toBe(freshness)
  })

  test('uses another window if given', () => {
    expect(judgeFreshness(String(AT - 5_000), AT, 5_000)).toBe('fresh')
    expect(judgeFreshness(String(AT - 5_001), AT, 5_000)).toBe('stale')
  })
})
