import { expect, test } from 'vitest'
import { utf8Text } from './encoding.ts'

const price = Buffer.from('12 €')

test('is the text, including a byte order mark', () => {
  expect(utf8Text(price, false)).toBe('12 €')
  expect(utf8Text(Buffer.from('\uFEFF{}'), false)).toBe('\uFEFF{}')
  expect(utf8Text(Buffer.from(''), false)).toBe('')
})

test('may end inside a character only if it is cut', () => {
  for (const missing of [1, 2]) {
    const head = price.subarray(0, -missing)
    expect(utf8Text(head, true)).toBe('12 ')
    expect(utf8Text(head, false)).toBeNull()
  }
})

test("is null if the bytes aren't UTF-8, cut or not", () => {
  for (const bytes of [[0xff], [0x41, 0x80, 0x41], [0xc0, 0xaf], [0xed, 0xa0, 0x80]])
    for (const isCut of [true, false]) expect(utf8Text(Uint8Array.from(bytes), isCut)).toBeNull()
})
