import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { createMasking, MASK } from './masking.ts'

const json = [['content-type', 'application/json']] as const
const SECRET = 'whsec_0123456789abcdef'

property.prop([fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 8 }), fc.constantFrom(SECRET, 'aaaaaa')], {
  numRuns: 30,
})('secrets are masked wherever they stand in a large body, as in one go', async (places, secret) => {
  const body = Buffer.alloc(400_000, 'ä.')
  for (const place of [...places, 131_060, 131_072 - 1]) body.write(secret, Math.min(place, body.length - secret.length))
  const masked = await createMasking([secret], ['service']).body(body, json)
  expect(Buffer.from(masked).equals(Buffer.from(body.toString('latin1').replaceAll(secret, MASK), 'latin1'))).toBe(true)
})

test('a body without a secret stays the very same bytes', async () => {
  const body = Buffer.alloc(300_000, 'no secret here ')
  expect(await createMasking([SECRET], ['service']).body(body, json)).toBe(body)
})

test('others get their turn while a large body is looked through', async () => {
  const body = Buffer.alloc(2_097_152, `${SECRET.slice(0, -1)}x`)
  let turns = 0
  let isDone = false
  const others = () => {
    turns++
    if (!isDone) setImmediate(others)
  }
  setImmediate(others)
  await createMasking([SECRET], ['service']).body(body, json)
  isDone = true
  expect(turns).toBeGreaterThanOrEqual(15)
})
