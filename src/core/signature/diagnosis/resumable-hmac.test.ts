import { createHmac } from 'node:crypto'
import { fc, test as property } from '@fast-check/vitest'
import { expect } from 'vitest'
import { secretKey } from '../sign.ts'
import { resumableHmac } from './resumable-hmac.ts'

const bytes = fc.uint8Array({ maxLength: 300 })

property.prop([
  fc.constantFrom('md5', 'sha1', 'sha256', 'sha384', 'sha512'),
  fc.string({ maxLength: 200 }),
  bytes,
  fc.array(bytes),
  bytes,
])('what is made in two steps is the HMAC of Node, each time', (algorithm, secret, beginning, ends, last) => {
  const hmac = resumableHmac(algorithm, secretKey(secret), beginning)
  for (const end of [...ends, last]) {
    const whole = createHmac(algorithm, secret).update(beginning).update(end).update('text').digest()
    expect(hmac([end, 'text']).equals(whole)).toBe(true)
  }
})
