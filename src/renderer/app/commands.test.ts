import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { openAskedWindow } from '../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import { shownEventTypes } from '../../shared/service/event-type.ts'
import { actionGroups } from '../ui-state/delivery-actions.ts'
import type * as Commands from './commands.ts'

let paletteGroups: typeof Commands.paletteGroups
beforeAll(async () => {
  // The diagram of a flow adds its style sheet when it is imported.
  vi.stubGlobal(
    'CSSStyleSheet',
    class {
      replaceSync = () => undefined
    },
  )
  vi.stubGlobal('document', { adoptedStyleSheets: [] })
  await import('../features/flows/flow-diagram.tsx')
  vi.unstubAllGlobals()
  ;({ paletteGroups } = await import('./commands.ts'))
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const flow = { name: 'purchase-visa', title: 'Purchase with Visa' }

function start() {
  const { know, store } = openAskedWindow()
  know('flows.list', {}, { flows: [flow] as never })
  store.setState((state) => ({
    core: {
      ...state.core,
      status: { sandbox: 'https://127.0.0.1:9', store: { deliveries: 1 }, receiver: {} } as never,
    },
  }))
  const group = (typed: string, name: string) =>
    paletteGroups(store, typed).find(({ value }) => value === name)?.items ?? []
  const labels = (typed: string) =>
    paletteGroups(store, typed).flatMap(({ items }) => items.map(({ label }) => label))
  return { store, group, labels }
}

test('triggers and flows are offered only once something is typed', () => {
  const { labels } = start()
  const ofSandbox = [
    ...shownEventTypes.map((event) => `Trigger ${event}…`),
    `Run flow: ${flow.title}`,
  ]
  expect(labels('t')).toEqual(expect.arrayContaining(ofSandbox))
  expect(labels('').filter((label) => ofSandbox.includes(label))).toEqual([])
  expect(labels(' ')).toEqual(labels(''))
})

test("the selected row's actions come before suggestions, and its values once something is typed", () => {
  const { store, group } = start()
  expect(group('', 'Selected delivery')).toEqual([])
  const row = deliveryRow(1, { merchant: 'Harbour Coffee' })
  store.getState().list.changed({ added: [row], updated: [], skipped: 0, total: 1 })
  store.getState().list.select(row)
  const menu = actionGroups(store.getState(), [row]).flatMap((actions) =>
    actions.map(({ label }) => label),
  )
  expect(paletteGroups(store, '')[0]).toMatchObject({
    value: 'Selected delivery',
    items: menu.map((label) => ({ label })),
  })
  expect(group('me', 'Selected delivery').map(({ label }) => label)).toEqual(
    expect.arrayContaining([
      ...menu,
      'Filter by this merchant',
      'Exclude this merchant',
      'Copy this merchant',
    ]),
  )
})

test('the commands run last come first, newest first, and the commands of the shown screen before others', () => {
  const { store, group, labels } = start()
  store.getState().preferences.set('recent', ['newest', 'flow-purchase-visa'])
  expect(group('', 'Recent').map(({ label }) => label)).toEqual([
    'Jump to newest delivery',
    `Run flow: ${flow.title}`,
  ])
  expect(group('', 'Suggested')[0]?.label).toBe('Send sample')
  const names = paletteGroups(store, '').map(({ value }) => value)
  expect(names).toEqual(['Recent', 'Suggested', 'Navigation'])
  expect(labels('re')).toHaveLength(new Set(labels('re')).size)
  store.getState().navigation.go('sandbox')
  expect(
    labels('t').find(
      (label) => !label.startsWith('Go to') && label !== 'Back' && label !== 'Forward',
    ),
  ).toMatch(/^Trigger /)
})

test('what acts on all deliveries is offered after everything else, and only once something is typed', () => {
  const { labels } = start()
  const sweeping = ['Replay all deliveries…', 'Delete all that is not pinned']
  expect(labels('').filter((label) => sweeping.includes(label))).toEqual([])
  expect(labels('all').slice(-2)).toEqual(sweeping)
})

test.each([
  ['a complete id', '01a21780-a5a4-700a-a531-435dab000fd6'],
  ['the short id that the window shows', 'ab000fd6'],
  ['the latest delivery', ' latest '],
  ['one before it', 'latest~2'],
])('%s is offered as a delivery to open', (_, typed) => {
  expect(start().labels(typed)).toContain(`Open delivery ${typed.trim()}`)
})

test.each(['', 'deliver', 'ab000fd', 'transaction.auth', 'feedback', 'Harbour Coffee'])(
  '"%s" isn\'t offered as a delivery',
  (typed) => {
    expect(
      start()
        .labels(typed)
        .filter((label) => label.startsWith('Open delivery')),
    ).toEqual([])
  },
)
