import { expect, test } from 'vitest'
import { z } from 'zod'
import { bySchema, differs } from './use-form.ts'

test("validation by a schema puts each issue's message at its field", () => {
  const check = bySchema(
    z.object({
      name: z.string().trim().min(1, 'Enter a name.'),
      rate: z.string().min(1, 'Enter a rate.'),
    }),
  )
  expect(check({ name: 'a', rate: '1' })).toEqual([])
  expect(check({ name: ' ', rate: '' })).toEqual([
    { field: 'name', message: 'Enter a name.' },
    { field: 'rate', message: 'Enter a rate.' },
  ])
})

test("a draft differs once a member does; surrounding whitespace doesn't count", () => {
  const begun = { pem: 'a', on: true, rows: [] as readonly string[] }
  expect(differs({ ...begun, pem: ' a\n' }, begun)).toBe(false)
  expect(differs({ ...begun, pem: 'b' }, begun)).toBe(true)
  expect(differs({ ...begun, on: false }, begun)).toBe(true)
  expect(differs({ ...begun, rows: ['a'] }, begun)).toBe(true)
})
