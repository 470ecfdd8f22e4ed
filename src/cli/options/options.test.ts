import { expect, test } from 'vitest'
import { z } from 'zod'
import { updateSchemaOf, option } from '../../shared/model/field-words.ts'
import { optionsOf } from './field-options.ts'

const input = z.object({
  name: option(z.string().min(1), 'its name', '<name>'),
  note: option(z.string().nullable().default(null), 'a note', '<text>'),
  repeat: option(z.number().int().min(1).max(64).default(1), 'times', '<n>'),
  rate: option(z.number().positive().max(100).optional(), 'per second', '<n>'),
  seed: option(z.number().int().optional(), 'the seed', '<n>'),
  kind: option(z.enum(['early', 'late']).optional(), 'the kind', '<kind>'),
  tags: option(z.array(z.string()).default([]), 'a tag', '--tag <name>'),
  set: option(z.record(z.string(), z.string()).optional(), 'a field', '<path=value>', {
    kind: 'literals',
  }),
  live: option(z.boolean().default(false), 'allow it'),
  secret: z.string(),
})
const options = optionsOf(input)

test('the fields of an input that have words are its options, in their order', () => {
  expect(Object.keys(options).join(' ')).toBe('name note repeat rate seed kind tags set live')
  const required = Object.entries(options).filter(([, { isRequired }]) => isRequired)
  expect(required.map(([name]) => name)).toEqual(['name'])
  expect([options.tags.absent, options.live.absent]).toEqual([[], false])
  expect(options.repeat.otherwise).toMatchObject({ value: 1 })
  expect(options.kind.choices).toEqual(['early', 'late'])
})

test('in changes of an input, the same options need no value and have no default', () => {
  const changes = optionsOf(updateSchemaOf(input))
  expect(Object.keys(changes)).toEqual(Object.keys(options))
  expect(changes.name.isRequired).toBe(false)
  expect(changes.repeat.otherwise).toBeUndefined()
})

test('values are read by their type', () => {
  expect(options.repeat.read?.('64', undefined)).toBe(64)
  expect(options.rate.read?.('0.5', undefined)).toBe(0.5)
  expect(options.note.read?.('', undefined)).toBe('')
  expect(options.tags.read?.('b', ['a'])).toEqual(['a', 'b'])
  expect(options.set.read?.('a=1.0', { b: '2' })).toEqual({ a: '1.0', b: '2' })
})

test.each([
  ['name', '', 'Option needs a value.'],
  ['repeat', '0', 'Expected an integer from 1 to 64.'],
  ['repeat', '1.5', 'Expected an integer from 1 to 64.'],
  ['rate', '0', 'Expected a number above 0, at most 100.'],
  ['rate', '1e1', 'Expected a number above 0, at most 100.'],
  ['seed', '-1', 'Expected an integer of 0 or more.'],
  ['set', 'x', 'Expected path=value, for example amount=12.5 or card.lastNumbers=4001.'],
] as const)('%s "%s" is rejected: %s', (name, text, sentence) => {
  expect(() => options[name].read?.(text, undefined)).toThrow(sentence)
})
