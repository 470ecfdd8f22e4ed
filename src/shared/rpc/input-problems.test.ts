import { expect, test } from 'vitest'
import { z } from 'zod'
import { environmentAddSchema } from '../model/environment.ts'
import { describeInput, inputParseOptions } from './input-problems.ts'

function describe(schema: z.ZodType, input: unknown) {
  const parsed = schema.safeParse(input, inputParseOptions)
  if (parsed.success) throw new Error('It fits.')
  return describeInput(parsed.error)
}

const END = ' Fix this, then try again.'

test.each<[string, z.ZodType, unknown, string]>([
  ['a missing field', z.object({ baseUrl: z.string() }), {}, 'The base URL is missing.'],
  ['a missing choice', z.object({ mode: z.enum(['test', 'live']) }), {}, 'The mode is missing.'],
  [
    'an unknown choice',
    z.object({ ack: z.enum(['200', '2xx']) }),
    { ack: '3' },
    'The ack must be 200 or 2xx.',
  ],
  ['a wrong type', z.object({ caPem: z.string() }), { caPem: 7 }, 'The CA PEM must be a string.'],
  [
    'an empty string',
    z.object({ name: z.string().min(1) }),
    { name: '' },
    'The name must not be empty.',
  ],
  [
    'a string that is too long',
    z.object({ name: z.string().max(2) }),
    { name: 'abc' },
    'The name must have at most 2 characters.',
  ],
  [
    'too few entries',
    z.object({ ids: z.array(z.string()).min(1) }),
    { ids: [] },
    'The IDs must not be empty.',
  ],
  [
    'a number that is too small',
    z.object({ rate: z.number().positive() }),
    { rate: 0 },
    'The rate must be more than 0.',
  ],
  [
    'an invalid URL',
    z.object({ from: z.url() }),
    { from: 'x' },
    '"from" must be a complete URL, such as https://example.com/hooks.',
  ],
  [
    'a pattern',
    z.object({ a: z.string().regex(/^b/) }),
    { a: 'c' },
    'The a has an invalid format or character.',
  ],
  ['an unknown field', z.strictObject({}), { x: 1 }, 'The input has unknown fields: x.'],
  [
    'a header',
    z.object({ headers: z.record(z.string(), z.string()) }),
    { headers: { 'X-A': 1 } },
    'The header "X-A" must be a string.',
  ],
  [
    'a value that matches no variant',
    z.object({ on: z.union([z.string(), z.number()]) }),
    { on: true },
    '"on" has an invalid format.',
  ],
])('%s is explained in words', (_what, schema, input, sentence) => {
  expect(describe(schema, input).message).toBe(sentence + END)
})

test("a schema's own message takes precedence, and each problem has its field", () => {
  const given = {
    name: 'a b',
    mode: 'test',
    baseUrl: 'https://a.example',
    prefix: '-',
    authHeader: 'a b',
    timeoutMs: 1,
  }
  const { problems, message } = describe(environmentAddSchema, given)
  expect(problems).toEqual([
    {
      field: 'name',
      message: 'Use letters, digits, dots, dashes and underscores. Start with a letter or digit.',
    },
    { field: 'authHeader', message: 'Use up to 64 letters, digits and dashes' },
    {
      field: 'prefix',
      message: 'Use up to 32 letters, digits and dashes. Start with a letter, and leave out the x-',
    },
    { field: 'timeoutMs', message: 'Must be from 0.1 to 600 seconds' },
  ])
  expect(message).toContain(
    'The prefix is invalid. Use up to 32 letters, digits and dashes. Start with a letter, and leave out the x-.',
  )
  expect(message).toContain('The timeout must be from 0.1 to 600 seconds.')
})

test('values are never shown: they may be secrets', () => {
  const { problems, message } = describe(environmentAddSchema, {
    name: 7,
    key: ['sk_secret'],
    clientSecret: { a: 'sk_secret' },
  })
  expect(problems).toHaveLength(5)
  expect(JSON.stringify([problems, message])).not.toContain('sk_secret')
})
