import { createHmac } from 'node:crypto'
import { fc, test as property } from '@fast-check/vitest'
import { expect } from 'vitest'
import { secretKey } from './sign.ts'
import { quickHmac, resumableHmac } from './quick-hmac.ts'

const algorithm = fc.constantFrom('md5', 'sha1', 'sha256', 'sha384', 'sha512')
const secret = fc.string({ unit: 'binary', maxLength: 200 })
const bytes = fc.uint8Array({ maxLength: 300 })
const piece = fc.oneof(
  bytes,
  fc.string({ unit: 'binary', maxLength: 60 }),
  // Half of a surrogate pair has no UTF-8 form and is replaced.
  fc.constantFrom('\ud83d', 'é', '😀'),
  // Too long to be concatenated with the rest.
  fc.nat({ max: 9_000 }).map((length) => 'x'.repeat(length)),
  fc.nat({ max: 9_000 }).map((length) => Buffer.alloc(length, 7)),
)

function ofNode(name: string, key: string, pieces: readonly (Uint8Array | string)[]): string {
  const hmac = createHmac(name, key)
  for (const one of pieces) hmac.update(one)
  return hmac.digest('base64')
}

property.prop([
  algorithm,
  fc.array(secret, { minLength: 1, maxLength: 3 }),
  fc.array(fc.array(piece, { maxLength: 4 })),
])(
  'what is made at once is the HMAC of Node, under any key and for any text after any other',
  (name, secrets, texts) => {
    const keys = secrets.map((text) => ({ text, key: secretKey(text) }))
    for (const pieces of texts)
      for (const { text, key } of keys) {
        const expected = ofNode(name, text, pieces)
        expect(quickHmac(name, key, pieces)).toBe(expected)
        expect(quickHmac(name, Buffer.from(text), pieces)).toBe(expected)
      }
  },
)

property.prop([
  algorithm,
  secret,
  bytes,
  fc.array(fc.array(piece, { maxLength: 3 }), { minLength: 1 }),
])('what is made in two steps is the HMAC of Node, each time', (name, text, beginning, ends) => {
  const resume = resumableHmac(name, secretKey(text), beginning)
  for (const end of ends) expect(resume(end)).toBe(ofNode(name, text, [beginning, ...end]))
})
