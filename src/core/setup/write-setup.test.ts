import { test as property, fc } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts'
import { type Setup, setupSchema } from '../../shared/model/setup.ts'
import { describeFolder } from './describe-setup.ts'
import { readSetup } from './read-setup.ts'
import { setupText } from './write-setup.ts'

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/)
const url = fc.integer({ min: 1, max: 65_535 }).map((port) => `http://127.0.0.1:${port}/`)
const named = <Item extends object>(item: fc.Arbitrary<Item>) =>
  fc
    .uniqueArray(fc.tuple(word, item), { maxLength: 4, selector: ([name]) => name })
    .map((all) => all.map(([name, fields]) => ({ name, ...fields })))
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

const setups = fc
  .record({
    countersign: fc.constant(1 as const),
    data: optional(word),
    hooks: named(
      fc.record({
        environment: fc.constantFrom('sandbox-test', 'sandbox-live'),
        event: fc.constantFrom('card.linked', 'card.unlinked'),
        url: word.map((path) => `https://acme.example/${path}`),
        secret: optional(fc.record({ env: fc.constant('A') })),
        response: fc.record({ status: fc.integer({ min: 200, max: 599 }), drop: fc.boolean() }),
      }),
    ),
    handlers: named(
      fc.record({ url, prefix: fc.option(word), secret: optional(fc.constant({ env: 'B' })) }),
    ),
    forwards: named(fc.record({ url, on: fc.boolean(), query: fc.constantFrom('', 'is:valid') })),
    views: named(fc.record({ query: fc.constantFrom('a', 'event:card.linked') })),
  })
  .map((setup): Setup => setupSchema.parse(setup))
  .filter(
    ({ hooks }) =>
      new Set(hooks.map((hook) => JSON.stringify([hook.environment, hook.event, hook.url])))
        .size === hooks.length,
  )

property.prop([setups])('what is written is read again as it was', (setup) => {
  const read = readSetup(setupText(setup, null), 'a.json').setup
  const { $schema, ...rest } = read
  expect($schema).toMatch(/countersign\.schema\.json$/)
  expect(rest).toEqual(JSON.parse(JSON.stringify(setup)))
})

property.prop([setups])('a text is stable: what is read is written as the same text', (setup) => {
  const text = setupText(setup, null)
  const { setup: read } = readSetup(text, 'a.json')
  expect(setupText(read, read)).toBe(text)
})

test('an unused data folder needs two lines', () => {
  const empty = {
    environments: [],
    hooks: [],
    handlers: [],
    targets: [],
    views: [],
    flows: [],
    requests: [],
  }
  const folder = { ...empty, settings: { ...DEFAULT_SETTINGS, window: {} } as never }
  expect(JSON.parse(setupText(describeFolder(folder, null).setup, null))).toEqual({
    $schema: './node_modules/countersign/countersign.schema.json',
    countersign: 1,
  })
})
