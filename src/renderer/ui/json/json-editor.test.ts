import { expect, test } from 'vitest'
import { placeOf } from './json-editor.tsx'

test('a place is counted from the first line and column', () => {
  expect(placeOf('{\n  "a": x', 9)).toEqual({ line: 2, column: 8 })
  expect(placeOf('x', 0)).toEqual({ line: 1, column: 1 })
})
