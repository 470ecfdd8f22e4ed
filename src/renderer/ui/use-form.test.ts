import { expect, test } from 'vitest'
import { differs } from './use-form.ts'

test("a draft differs once a member does; surrounding whitespace doesn't count", () => {
  const initial = { pem: 'a', on: true, rows: [] as readonly string[] }
  expect(differs({ ...initial, pem: ' a\n' }, initial)).toBe(false)
  expect(differs({ ...initial, pem: 'b' }, initial)).toBe(true)
  expect(differs({ ...initial, on: false }, initial)).toBe(true)
  expect(differs({ ...initial, rows: ['a'] }, initial)).toBe(true)
})
