import { describe, expect, test } from 'vitest'
import { formFields } from './body-content.tsx'
import { highlighted } from './find-text.ts'

describe('a form', () => {
  test('is parsed field by field, in order, with duplicates', () => {
    expect(formFields('a=1&a=2&name=caf%C3%A9+au+lait&empty=&bare')).toEqual([
      { name: 'a', value: '1', decoded: true },
      { name: 'a', value: '2', decoded: true },
      { name: 'name', value: 'café au lait', decoded: true },
      { name: 'empty', value: '', decoded: true },
      { name: 'bare', value: '', decoded: true },
    ])
    expect(formFields('')).toEqual([])
  })

  test("shows fields that aren't UTF-8 as sent", () => {
    expect(formFields('a=%E9&b=%zz')).toEqual([
      { name: 'a', value: '%E9', decoded: false },
      { name: 'b', value: '%zz', decoded: false },
    ])
  })
})

describe('search hits', () => {
  const highlight = (current: number, ...starts: number[]) => ({
    found: { starts: Uint32Array.from(starts), more: false },
    length: 3,
    current,
  })

  test('are split off, even if they begin before the piece or end after it', () => {
    expect(highlighted('0123456789', 100, highlight(1, 98, 104, 109, 200))).toEqual([
      { text: '0', look: 'found' },
      { text: '123', look: 'plain' },
      { text: '456', look: 'current' },
      { text: '78', look: 'plain' },
      { text: '9', look: 'found' },
    ])
  })

  test('leave pieces without a hit unchanged', () => {
    expect(highlighted('abc', 10, highlight(0, 1, 50))).toEqual([{ text: 'abc', look: 'plain' }])
    expect(highlighted('abc', 10, null)).toEqual([{ text: 'abc', look: 'plain' }])
  })
})
