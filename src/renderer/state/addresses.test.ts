import { fc, test as property } from '@fast-check/vitest'
import { expect, test, vi } from 'vitest'
import { openWindow } from '../../../test/browser/open-window.ts'
import { createAnsweredClient } from '../../../test/support/asked-client.ts'
import { flowPlanOf, flowRunOf, flowRunStepOf } from '../../../test/support/model-values.ts'
import { sandboxObjectKindSchema } from '../../shared/model/sandbox.ts'
import type { AppStatus } from '../../shared/model/status.ts'
import { compareTabs } from '../features/compare/compare-slice.ts'
import { tabs } from '../features/detail/detail-slice.ts'
import {
  followAddress,
  pageAddressBar,
  parseAddress,
  printAddress,
  type Address,
  type AddressBar,
} from './addresses.ts'
import { settingsSections } from '../features/settings/storage-slice.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1 })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const named = <Screen extends Address['screen']>(screen: Screen) => fc.constant(screen)

const addresses: fc.Arbitrary<Address> = fc.oneof(
  fc.record({ screen: named('deliveries'), id: text, tab: maybe(fc.constantFrom(...tabs)) }),
  fc.record({
    screen: named('compare'),
    pair: fc.tuple(text, text),
    tab: maybe(fc.constantFrom(...compareTabs)),
  }),
  fc.record({ screen: fc.constantFrom('hooks', 'forward'), id: maybe(text) }),
  fc.record({ screen: named('handlers'), name: maybe(text) }),
  fc.record({
    screen: named('flows'),
    flow: fc
      .record({ name: text, isFile: fc.boolean() })
      .filter(({ name, isFile }) => isFile || name !== 'files'),
    run: maybe(text),
    step: maybe(text),
  }),
  fc.record({ screen: named('check'), isNew: fc.constant(false), run: text, case: maybe(text) }),
  fc.record({
    screen: named('sandbox'),
    isLive: fc.boolean(),
    view: fc.constant<'objects'>('objects'),
    kind: fc.constantFrom(...sandboxObjectKindSchema.options),
    id: maybe(text),
  }),
  fc.record({
    screen: named('sandbox'),
    isLive: fc.boolean(),
    view: fc.constant<'log'>('log'),
    kind: fc.constant(null),
    id: maybe(text),
  }),
  fc.record({ screen: named('settings'), section: maybe(fc.constantFrom(...settingsSections)) }),
  fc.constantFrom<Address>(
    { screen: 'deliveries', id: null, tab: null },
    { screen: 'compare', pair: null, tab: null },
    { screen: 'flows', flow: null, run: null, step: null },
    { screen: 'check', isNew: true, run: null, case: null },
    { screen: 'check', isNew: false, run: null, case: null },
    { screen: 'sandbox', isLive: true, view: 'trigger', kind: null, id: null },
  ),
)

property.prop([addresses])('every address is read as it was printed', (address) => {
  expect(parseAddress(printAddress(address))).toEqual({ address, isKnown: true })
})

test('addresses read well, and the form without a slash still opens its screen', () => {
  const step: Address = {
    screen: 'flows',
    flow: { name: 'purchase-visa', isFile: false },
    run: '0199',
    step: 'clearing',
  }
  expect(printAddress(step)).toBe('#/flows/purchase-visa/runs/0199/steps/clearing')
  expect(printAddress({ screen: 'deliveries', id: '0199', tab: 'sends' })).toBe(
    '#/deliveries/0199/replays',
  )
  expect(
    printAddress({
      screen: 'flows',
      flow: { name: 'a b.json', isFile: true },
      run: null,
      step: null,
    }),
  ).toBe('#/flows/files/a%20b.json')
  expect(parseAddress('#hooks')).toEqual({ address: { screen: 'hooks', id: null }, isKnown: true })
  expect(parseAddress('')).toEqual({
    address: { screen: 'deliveries', id: null, tab: null },
    isKnown: true,
  })
})

test.each([
  '#/nowhere',
  '#/deliveries/1/nothing',
  '#/deliveries/%',
  '#/flows/a/runs',
  '#/sandbox/objects/cat',
  '#/settings/1',
  '#/hooks//',
])('%s shows its screen, and says that nothing is there', (hash) => {
  const { address, isKnown } = parseAddress(hash)
  expect([
    isKnown,
    hash.startsWith(`#/${address.screen}`) || address.screen === 'deliveries',
  ]).toEqual([false, true])
})

/** A history in memory, and a core with one flow and one run of it. */
function start(hash: string) {
  vi.stubGlobal('location', { hash })
  const entries = [hash]
  let at = 0
  let moved = () => undefined as unknown
  let gesture = () => undefined as unknown
  const bar: AddressBar = {
    hash: () => entries[at] ?? '',
    write(text, isNew) {
      if (isNew) entries.splice(++at, Infinity, text)
      else entries[at] = text
    },
    onMoved: (listener) => (moved = listener),
    onGesture: (listener) => (gesture = listener),
  }
  const steps = [
    flowRunStepOf({ index: 0, name: 'pay' }),
    flowRunStepOf({ index: 1, name: 'clearing' }),
  ]
  const run = flowRunOf({ id: 'run-1', flow: 'purchase', steps })
  const { client } = createAnsweredClient((command) => {
    switch (command) {
      case 'flows.list':
        return { flows: [] }
      case 'flows.runs':
        return { runs: [run] }
      case 'flows.get':
        return { flow: flowPlanOf({ name: 'purchase', steps }) }
      case 'flows.run':
        return { run }
      default:
        throw new Error(`not expected: ${command}`)
    }
  })
  const { notify, store, state } = openWindow(client)
  followAddress(store, bar, { notify })
  return {
    entries,
    notify,
    state,
    connect() {
      store.setState(({ core }) => ({ core: { ...core, status: {} as AppStatus } }))
    },
    /** What a click does. */
    click(change: (app: ReturnType<typeof state>) => unknown) {
      gesture()
      return change(state())
    },
    move(by: number) {
      at += by
      moved()
    },
    here: () => bar.hash(),
  }
}

test('after a reload the window shows the step of the run that the address names', async () => {
  const app = start('#/flows/purchase/runs/run-1/steps/clearing')
  expect(app.state().navigation.screen).toBe('flows')
  app.connect()
  await expect
    .poll(() => [app.state().flows.run?.id, app.state().flows.place])
    .toEqual(['run-1', '1'])
  expect([app.entries, app.notify.mock.calls]).toEqual([
    ['#/flows/purchase/runs/run-1/steps/clearing'],
    [],
  ])
})

test('a dialog opened before the first snapshot stays, and Back closes it', async () => {
  const app = start('#/settings/environments')
  app.click(({ navigation }) => {
    navigation.openOverlay('palette')
  })
  app.connect()
  await expect.poll(() => app.here()).toBe('#/settings/environments')
  expect(app.state().navigation.overlay).toBe('palette')
  app.click(({ settings }) => {
    settings.show('storage')
  })
  app.click(({ navigation }) => {
    navigation.openOverlay('palette')
  })
  app.move(-1)
  expect(app.state().navigation.overlay).toBeNull()
})

test('each opened page is one entry of the history, and a burst of selections replaces it', async () => {
  const app = start('')
  app.connect()
  await expect.poll(() => app.entries).toEqual(['#/deliveries'])
  app.click(({ navigation }) => {
    navigation.go('flows')
  })
  await app.click(({ flows }) => flows.open('purchase'))
  for (const place of ['0', '1', '0', '1'])
    app.click(({ flows }) => {
      flows.selectPlace(place)
    })
  const opened = ['#/deliveries', '#/flows', '#/flows/purchase/steps/clearing']
  expect(app.entries).toEqual(opened)
  app.click(({ navigation, detail }) => {
    navigation.go('deliveries')
    detail.open('some-id', true)
  })
  expect(app.entries).toEqual([...opened, '#/deliveries/some-id/overview'])

  app.move(-1)
  await expect
    .poll(() => [app.state().navigation.screen, app.state().flows.place])
    .toEqual(['flows', '1'])
  app.move(-1)
  await expect.poll(() => app.state().flows.opened).toBeNull()
  app.move(2)
  await expect
    .poll(() => [app.state().navigation.screen, app.state().detail.openId])
    .toEqual(['deliveries', 'some-id'])
  expect(app.entries).toEqual([...opened, '#/deliveries/some-id/overview'])
})

test('Back is reported once, before anything else can write the address', () => {
  const page = new EventTarget()
  vi.stubGlobal('window', page)
  vi.stubGlobal('location', { hash: '#/flows' })
  const moved = vi.fn()
  pageAddressBar().onMoved(moved)
  page.dispatchEvent(new Event('popstate'))
  expect(moved).toHaveBeenCalledTimes(1)
  page.dispatchEvent(new Event('hashchange'))
  expect(moved).toHaveBeenCalledTimes(1)
  // Without the first event, the second one counts.
  page.dispatchEvent(new Event('hashchange'))
  expect(moved).toHaveBeenCalledTimes(2)
})

test('an unknown address shows Deliveries and says so; a flow file must be opened again', async () => {
  const app = start('#/nowhere')
  app.connect()
  await expect.poll(() => app.here()).toBe('#/deliveries')
  expect(app.notify.mock.calls).toEqual([[expect.objectContaining({ title: 'Page not found' })]])
  const file = start('#/flows/files/mine.json')
  file.connect()
  await expect.poll(() => file.here()).toBe('#/flows')
  expect(file.notify.mock.calls).toEqual([
    [expect.objectContaining({ title: 'Open mine.json again' })],
  ])
})
