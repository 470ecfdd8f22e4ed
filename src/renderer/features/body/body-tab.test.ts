import { describe, expect, test } from 'vitest'
import { formFields } from './form-table.tsx'

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
