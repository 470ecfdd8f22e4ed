import { fc, test as property } from '@fast-check/vitest'
import { expect, onTestFinished, test, vi } from 'vitest'
import { textEnds } from './signed-parts.tsx'

const utf8 = (text: string) => new TextEncoder().encode(text)

property.prop([fc.string({ unit: 'binary', maxLength: 80 })])(
  'the ends are those of the whole text',
  (text) => {
    const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(utf8(text))
    const expected =
      whole.length <= 10
        ? { start: whole, end: null }
        : { start: whole.slice(0, 7), end: whole.slice(-3) }
    expect(textEnds(utf8(text), true, 7, 3)).toEqual(expected)
  },
)

test('a partly loaded body has only a start, and no half characters', () => {
  expect(textEnds(utf8('Café').subarray(0, 4), false, 7, 3)).toEqual({ start: 'Caf', end: null })
})

test('binary bytes have no ends', () => {
  expect(textEnds(Uint8Array.of(0xff, 0xfe), true, 7, 3)).toBeNull()
  expect(textEnds(new Uint8Array([...utf8('a'.repeat(100)), 0xff]), true, 7, 3)).toBeNull()
})

test('a large body costs no more than a small one', () => {
  const large = new Uint8Array(10_000_000).fill(0x61)
  const decode = vi.spyOn(TextDecoder.prototype, 'decode')
  onTestFinished(() => {
    decode.mockRestore()
  })
  expect(textEnds(large, true, 220, 60)?.end).toBe('a'.repeat(60))
  const decoded = decode.mock.calls.map(([bytes]) => bytes?.byteLength ?? 0)
  expect(decoded.length).toBeGreaterThan(0)
  expect(decoded.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual((220 + 60 + 60) * 4)
})
