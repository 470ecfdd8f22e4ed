import { randomBytes } from 'node:crypto'
import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { readDigest } from './digest-readings.ts'

const digest = Buffer.from(
  'fb1f9bb9a3f0c0ffee00112233445566778899aabbccddeeff0011223344556f',
  'hex',
)
const base64 = digest.toString('base64')

test('plain Base64 has no mistake', () => {
  expect(readDigest(base64)).toEqual([{ digest, mistake: null }])
})

test.each([
  ['Base64 of Base64', Buffer.from(base64).toString('base64'), 'encoding:base64-twice'],
  ['percent-encoded', encodeURIComponent(base64), 'encoding:percent'],
  ['with spaces for +', base64.replaceAll('+', ' '), 'encoding:plus-lost'],
  ['with whitespace', ` ${base64}\n`, 'encoding:decorated'],
  [
    'in the style of other services',
    `t=1763700000,v1=${digest.toString('hex')}`,
    'encoding:decorated',
  ],
  ['broken into lines', `${base64.slice(0, 20)}\r\n${base64.slice(20)}`, 'encoding:decorated'],
])('%s is read and named', (_name, text, cause) => {
  const readings = readDigest(text)
  expect(
    readings
      .filter((reading) => reading.digest.equals(digest))
      .map(({ mistake }) => mistake?.causes[0]),
  ).toContain(cause)
})

test.each([[''], ['hello'], ['='], [randomBytes(31).toString('base64')], ['A'.repeat(100_000)]])(
  '%s is not a digest',
  (text) => {
    expect(readDigest(text)).toEqual([])
  },
)

property.prop([fc.string({ unit: 'binary', maxLength: 200 })])(
  'anything can be read, and what is read has the size of a digest',
  (text) => {
    for (const reading of readDigest(text))
      expect([16, 20, 32, 48, 64]).toContain(reading.digest.length)
  },
)
