import { expect, test } from 'vitest'
import { openWindow } from '../../../test/browser/open-window.ts'
import { createAnsweredClient } from '../../../test/support/asked-client.ts'
import { flowPlanOf, flowRunOf, flowRunStepOf } from '../../../test/support/model-values.ts'
import { addressedFlow } from '../features/flows/open-flow.ts'
import { ALL_FLOW_RUNS } from '../core-data/events.ts'
import type { AppStatus } from '../../shared/model/status.ts'
import type { AddressBar } from './address-bar.ts'
import { followAddress } from './follow-address.ts'

const turn = () => new Promise((resolve) => setTimeout(resolve, 0))

/** Starts a window with a history in memory, and a core with one flow and one run of it. */
function start(hash: string) {
  const entries = [hash]
  let at = 0
  let moved = (_isBack: boolean) => undefined as unknown
  const bar: AddressBar = {
    hash: () => entries[at] ?? '',
    write(text, isNew) {
      if (isNew) entries.splice(++at, Infinity, text)
      else entries[at] = text
    },
    onMoved: (listener) => (moved = listener),
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
  const { data, notify, store, state } = openWindow(client)
  followAddress(store, bar, notify)
  return {
    entries,
    notify,
    state,
    connect() {
      store.setState(({ core }) => ({ core: { ...core, status: {} as AppStatus } }))
    },
    /** Performs an action of the user, and awaits its immediate effects. */
    async act(change: (app: ReturnType<typeof state>) => unknown) {
      await change(state())
      await turn()
    },
    async move(by: number) {
      at += by
      moved(by < 0)
      await turn()
    },
    here: () => bar.hash(),
    flow: () => addressedFlow(state()),
    async readFlow() {
      for (const key of [
        ['flows.runs', ALL_FLOW_RUNS],
        ['flows.get', { name: 'purchase' }],
        ['flows.run', { runId: 'run-1' }],
      ])
        await data.queries.fetchQuery({ queryKey: key })
    },
  }
}

test('after a reload the window shows the step of the run that the address names', async () => {
  const app = start('#/flows/purchase/runs/run-1/steps/clearing')
  expect(app.state().navigation.screen).toBe('flows')
  app.connect()
  await app.readFlow()
  expect([app.flow().run?.id, app.flow().shown?.id]).toEqual(['run-1', '1'])
  expect([app.entries, app.notify.mock.calls]).toEqual([
    ['#/flows/purchase/runs/run-1/steps/clearing'],
    [],
  ])
})

test('a dialog opened before the first snapshot stays, and Back closes it first', async () => {
  const app = start('#/settings/environments')
  await app.act(({ navigation }) => navigation.openOverlay('palette'))
  app.connect()
  expect([app.here(), app.state().navigation.overlay]).toEqual([
    '#/settings/environments',
    'palette',
  ])
  await app.act(({ navigation }) => navigation.go('hooks'))
  await app.act(({ navigation }) => navigation.openOverlay('palette'))
  await app.move(-1)
  expect([app.here(), app.state().navigation.overlay]).toEqual(['#/hooks', null])
  await app.move(-1)
  expect(app.here()).toBe('#/settings/environments')
})

test('a reload shows the filter, the order and the replay of the address, and they follow the window', async () => {
  const app = start('#/deliveries/some-id/body?q=is:valid+coffee&sort=-amount&replays=replay-1')
  const { filter, list, navigation } = app.state()
  expect([filter.draft, filter.applied, list.query]).toEqual(Array(3).fill('is:valid coffee'))
  expect(list.sort).toEqual({ by: 'amount', descending: true })
  expect([navigation.overlay, navigation.about]).toEqual(['replays', 'replay-1'])

  await app.act(({ navigation: { go } }) => go('hooks'))
  await app.act(({ navigation: { go } }) => go('deliveries', {}))
  expect(app.here()).toBe('#/deliveries?q=is:valid+coffee&sort=-amount')
  await app.act(({ replay }) => replay.show('replay-2'))
  expect(app.here()).toBe('#/deliveries?q=is:valid+coffee&sort=-amount&replays=replay-2')
  await app.act(({ navigation: { closeOverlay, go } }) => {
    closeOverlay()
    go('deliveries', { id: 'sent', tab: 'history' })
  })
  await app.move(-1)
  expect(app.state().navigation.about).toBe('replay-2')
  const { length } = app.entries
  await app.act(({ navigation: { closeOverlay } }) => closeOverlay())
  expect(app.entries).toHaveLength(length)
  await app.act(({ replay }) => replay.show('replay-2'))
  await app.move(-1)
  expect(app.here()).toBe('#/deliveries?q=is:valid+coffee&sort=-amount')

  await app.act(({ filter: { clear }, list: { sortBy } }) => {
    clear()
    sortBy({ by: 'time', descending: true })
  })
  expect(app.here()).toBe('#/deliveries')
})

test('Back restores the filter of the page that it shows', async () => {
  const app = start('#/deliveries?q=is:valid')
  await app.act(({ navigation }) => navigation.go('hooks'))
  await app.act(({ views }) => views.open({ id: 'all', name: 'All', query: '' }))
  expect(app.here()).toBe('#/deliveries')
  await app.move(-2)
  expect([app.state().filter.draft, app.state().list.query]).toEqual(['is:valid', 'is:valid'])
})

test('each opened page is one entry of the history, and a burst of selections replaces it', async () => {
  const app = start('')
  app.connect()
  await expect.poll(() => app.entries).toEqual(['#/deliveries'])
  await app.act(({ navigation }) => navigation.go('flows'))
  await app.act(({ navigation }) => navigation.go('flows', { flow: 'purchase' }))
  await app.readFlow()
  for (const place of ['0', '1', '0', '1']) await app.act(({ flows }) => flows.selectPlace(place))
  const opened = ['#/deliveries', '#/flows', '#/flows/purchase/steps/clearing']
  expect(app.entries).toEqual(opened)
  await app.act(({ navigation, detail }) => {
    navigation.go('deliveries')
    detail.open('some-id', true)
  })
  expect(app.entries).toEqual([...opened, '#/deliveries/some-id/overview'])

  await app.move(-1)
  await expect
    .poll(() => [app.state().navigation.screen, app.flow().chosen?.id])
    .toEqual(['flows', '1'])
  await app.move(-1)
  await expect.poll(() => app.flow().plan).toBeNull()
  await app.move(2)
  await expect
    .poll(() => [app.state().navigation.screen, app.state().navigation.at.deliveries.id])
    .toEqual(['deliveries', 'some-id'])
  expect(app.entries).toEqual([...opened, '#/deliveries/some-id/overview'])
})

test('going to a screen shows its last selection', async () => {
  const app = start('#/hooks/some-hook')
  await app.act(({ navigation }) => navigation.go('settings', { section: 'storage' }))
  await app.act(({ navigation }) => navigation.go('hooks'))
  expect(app.here()).toBe('#/hooks/some-hook')
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
