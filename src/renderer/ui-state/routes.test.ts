import { test as property, fc } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { sandboxObjectKindSchema } from '../../shared/model/sandbox.ts'
import {
  compareTabs,
  isOtherPage,
  parseAddress,
  printAddress,
  settingsSections,
  tabs,
  type Address,
} from './routes.ts'
import type { Screen } from '../screens.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1 })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const route = (screen: Screen, params: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({ screen: fc.constant(screen), params: fc.record(params) }) as fc.Arbitrary<Address>

const routes = fc.oneof(
  route('deliveries', {
    id: text,
    tab: maybe(fc.constantFrom(...tabs)),
    q: maybe(text),
    sort: maybe(text),
  }),
  route('compare', { left: text, right: text, tab: maybe(fc.constantFrom(...compareTabs)) }),
  route('hooks', { id: maybe(text) }),
  route('forward', { id: maybe(text) }),
  route('handlers', { name: maybe(text) }),
  route('flows', {
    flow: text.filter((name) => name !== 'files'),
    run: maybe(text),
    step: maybe(text),
  }),
  route('flows', { file: text, run: maybe(text), step: maybe(text) }),
  route('check', { run: text, case: maybe(text) }),
  route('sandbox', {
    mode: maybe(fc.constant('live')),
    view: fc.constant('objects'),
    kind: fc.constantFrom(...sandboxObjectKindSchema.options),
    id: maybe(text),
  }),
  route('settings', { section: fc.constantFrom(...settingsSections) }),
  fc.constantFrom<Address>(
    { screen: 'deliveries', params: {} },
    { screen: 'compare', params: {} },
    { screen: 'flows', params: {} },
    { screen: 'check', params: { form: 'new' } },
    { screen: 'sandbox', params: { mode: 'live', view: 'trigger' } },
    { screen: 'sandbox', params: { view: 'log', id: 'a-notification' } },
  ),
)

const dialogs = maybe(fc.record({ name: fc.constant('replays' as const), about: fc.option(text) }))

property.prop([routes, dialogs])(
  'every address is read as it was printed',
  ({ screen, params }, given) => {
    const dialog = given ?? null
    expect(parseAddress(printAddress(screen, params, dialog))).toEqual({
      route: { screen, params },
      isKnown: true,
      dialog,
    })
  },
)

test('addresses read well, and the form without a slash still opens its screen', () => {
  expect(printAddress('flows', { flow: 'purchase-visa', run: '0199', step: 'clearing' })).toBe(
    '#/flows/purchase-visa/runs/0199/steps/clearing',
  )
  expect(printAddress('deliveries', { id: '0199', tab: 'history' })).toBe(
    '#/deliveries/0199/history',
  )
  expect(printAddress('deliveries', { q: 'path:/h/a -is:valid "a b"' })).toBe(
    '#/deliveries?q=path:/h/a+-is:valid+%22a+b%22',
  )
  expect(printAddress('flows', { file: 'a b.json' })).toBe('#/flows/files/a%20b.json')
  expect(parseAddress('#hooks')).toMatchObject({ route: { screen: 'hooks' }, isKnown: true })
  expect(parseAddress('')).toMatchObject({ route: { screen: 'deliveries' }, isKnown: true })
  expect(parseAddress('#/sandbox').route.params).toEqual({ view: 'trigger' })
})

test.each(['attempts', 'replays', 'lifecycle'])(
  'the address of the former tab %s leads to History',
  (tab) => {
    expect(parseAddress(`#/deliveries/0199/${tab}`)).toMatchObject({
      route: { screen: 'deliveries', params: { id: '0199', tab: 'history' } },
      isKnown: true,
    })
  },
)

test.each([
  '#/nowhere',
  '#/deliveries/1/nothing',
  '#/deliveries/%',
  '#/flows/a/runs',
  '#/sandbox/objects/cat/1',
  '#/settings/1',
  '#/hooks//',
])('%s shows its screen, and says that nothing is there', (hash) => {
  const {
    route: { screen },
    isKnown,
  } = parseAddress(hash)
  expect([isKnown, hash.startsWith(`#/${screen}`) || screen === 'deliveries']).toEqual([
    false,
    true,
  ])
})

test.each<[Address, Address, boolean]>([
  [{ screen: 'hooks', params: {} }, { screen: 'flows', params: {} }, true],
  [{ screen: 'hooks', params: { id: '1' } }, { screen: 'hooks', params: { id: '2' } }, false],
  [{ screen: 'deliveries', params: {} }, { screen: 'deliveries', params: { id: '1' } }, true],
  [
    { screen: 'flows', params: { flow: 'a' } },
    { screen: 'flows', params: { flow: 'a', run: '1' } },
    false,
  ],
  [
    { screen: 'flows', params: { flow: 'a', run: '1' } },
    { screen: 'flows', params: { flow: 'a', run: '2' } },
    true,
  ],
])('from %j to %j is another page: %j', (from, to, isOther) => {
  expect(isOtherPage(from, to)).toBe(isOther)
})
