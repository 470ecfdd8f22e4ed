import { expect, test } from 'vitest'
import { z } from 'zod'
import { bySchema, differs } from './use-form.ts'

test('a check by a schema says the message of each issue at its field', () => {
  const check = bySchema(z.object({ name: z.string().trim().min(1, 'Enter a name.'), rate: z.string().min(1, 'Enter a rate.') }))
  expect(check({ name: 'a', rate: '1' })).toEqual([])
  expect(check({ name: ' ', rate: '' })).toEqual([
    { field: 'name', message: 'Enter a name.' },
    { field: 'rate', message: 'Enter a rate.' },
  ])
})

test('a draft differs from its beginning once a member does; whitespace around a text does not count', () => {
  const begun = { pem: 'a', on: true, rows: [] as readonly string[] }
  expect(differs({ ...begun, pem: ' a\n' }, begun)).toBe(false)
  expect(differs({ ...begun, pem: 'b' }, begun)).toBe(true)
  expect(differs({ ...begun, on: false }, begun)).toBe(true)
  expect(differs({ ...begun, rows: ['a'] }, begun)).toBe(true)
})
