import { expect, test } from 'vitest'
import { z } from 'zod'
import { environmentAddSchema } from '../model/environment.ts'
import { describeInput, inInputWords } from './input-problems.ts'

function describe(schema: z.ZodType, input: unknown) {
  const parsed = schema.safeParse(input, inInputWords)
  if (parsed.success) throw new Error('It fits.')
  return describeInput(parsed.error)
}

const END = ' Nothing was done; correct it and try again.'

test.each<[string, z.ZodType, unknown, string]>([
  ['a field left out', z.object({ baseUrl: z.string() }), {}, 'The base URL is missing.'],
  ['a choice left out', z.object({ mode: z.enum(['test', 'live']) }), {}, 'The mode is missing.'],
  ['another choice', z.object({ ack: z.enum(['200', '2xx']) }), { ack: '3' }, 'The ack cannot be taken: 200 or 2xx is needed.'],
  ['another type', z.object({ caPem: z.string() }), { caPem: 7 }, 'The CA PEM cannot be taken: a text is needed.'],
  ['an empty text', z.object({ name: z.string().min(1) }), { name: '' }, 'The name cannot be taken: 1 character at least.'],
  ['too long a text', z.object({ name: z.string().max(2) }), { name: 'abc' }, 'The name cannot be taken: 2 characters at most.'],
  ['too few entries', z.object({ ids: z.array(z.string()).min(1) }), { ids: [] }, 'The IDs cannot be taken: 1 entry at least.'],
  [
    'too small a number',
    z.object({ rate: z.number().positive() }),
    { rate: 0 },
    'The rate cannot be taken: more than 0 is needed.',
  ],
  [
    'no URL',
    z.object({ from: z.url() }),
    { from: 'x' },
    '"from" cannot be taken: a whole URL, such as https://example.com/hooks, is needed.',
  ],
  [
    'a pattern',
    z.object({ a: z.string().regex(/^b/) }),
    { a: 'c' },
    'The a cannot be taken: its form, or a character in it, cannot be used.',
  ],
  ['a field too many', z.strictObject({}), { x: 1 }, 'What was given cannot be taken: nothing is known of x.'],
  [
    'a header',
    z.object({ headers: z.record(z.string(), z.string()) }),
    { headers: { 'X-A': 1 } },
    'The header "X-A" cannot be taken: a text is needed.',
  ],
  [
    'none of several forms',
    z.object({ on: z.union([z.string(), z.number()]) }),
    { on: true },
    '"on" cannot be taken: its form cannot be used.',
  ],
])('%s is told in words', (_what, schema, input, sentence) => {
  expect(describe(schema, input).message).toBe(sentence + END)
})

test("a schema's own words go before, and each problem is found at its field", () => {
  const given = { name: 'a b', mode: 'test', baseUrl: 'https://a.example', prefix: '-', authHeader: 'a b', timeoutMs: 1 }
  const { problems, message } = describe(environmentAddSchema, given)
  expect(problems).toEqual([
    { field: 'name', message: 'Use letters, digits, dots, dashes and underscores. Start with a letter or digit' },
    { field: 'prefix', message: 'Use up to 32 letters, digits and dashes. Start with a letter' },
    { field: 'authHeader', message: 'Use up to 64 letters, digits and dashes' },
    { field: 'timeoutMs', message: 'Must be from 0.1 to 600 seconds' },
  ])
  expect(message).toContain('The prefix cannot be taken: use up to 32 letters, digits and dashes. Start with a letter.')
  expect(message).toContain('The timeout cannot be taken: must be from 0.1 to 600 seconds.')
})

test('no value is told: it may be a secret', () => {
  const { problems, message } = describe(environmentAddSchema, { name: 7, key: ['sk_secret'], clientSecret: { a: 'sk_secret' } })
  expect(problems).toHaveLength(5)
  expect(JSON.stringify([problems, message])).not.toContain('sk_secret')
})
