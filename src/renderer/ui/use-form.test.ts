import { expect, test } from 'vitest'
import { differs } from './use-form.ts'

test("a draft differs once a member does; surrounding whitespace doesn't count", () => {
  const begun = { pem: 'a', on: true, rows: [] as readonly string[] }
  expect(differs({ ...begun, pem: ' a\n' }, begun)).toBe(false)
  expect(differs({ ...begun, pem: 'b' }, begun)).toBe(true)
  expect(differs({ ...begun, on: false }, begun)).toBe(true)
  expect(differs({ ...begun, rows: ['a'] }, begun)).toBe(true)
})
