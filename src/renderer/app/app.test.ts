import { createElement } from 'react'
import { expect, test, vi } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../test/browser/open-window.ts'
import { appStatusOf } from '../../../test/support/model-values.ts'
import { DeliveryListPane } from '../features/list/index.ts'
import type { Screen } from '../screens.ts'
import type { AppState } from '../ui-state/store.ts'

// Node has no style sheets, and the module of the flow diagram adds one.
vi.stubGlobal(
  'CSSStyleSheet',
  class {
    replaceSync = () => undefined
  },
)
vi.stubGlobal('document', { adoptedStyleSheets: [] })
const { App } = await import('./app.tsx')
vi.unstubAllGlobals()

const status = appStatusOf({ dataFolder: '/home/nadia/data folder' })
const { receiver, store } = status

interface Shown {
  readonly screen?: Screen
  readonly core?: Partial<AppState['core']>
  readonly list?: Partial<AppState['list']>
}

/**
 * Renders the window on a screen, or the list of deliveries, to markup; the core is empty by
 * default.
 */
function windowWith({ screen, core = {}, list = {} }: Shown): string {
  const window = openAskedWindow()
  const lastStatus = core.status ?? status
  window.store.setState((state) => ({
    core: { ...state.core, connection: { phase: 'open' }, status, lastStatus, ...core },
    list: { ...state.list, phase: 'ready', ...list },
    navigation: { ...state.navigation, screen: screen ?? 'deliveries' },
  }))
  return markupOf(window, createElement(screen === undefined ? DeliveryListPane : App))
}

const unread = { status: null, problem: 'The database is busy. Try again.' }

test.each<[Screen | undefined, string, string]>([
  [undefined, 'Loading deliveries', 'Receive your first webhook'],
  ['hooks', 'Loading hooks', 'No hooks yet'],
  ['settings', 'Loading environments', 'Add environment'],
])('screen %s: a placeholder while it loads, and no empty state', (screen, placeholder, empty) => {
  const loading = windowWith({ screen, core: { status: null } })
  expect(loading).toContain(`aria-label="${placeholder}"`)
  expect(loading).not.toContain(empty)
  expect(windowWith({ screen })).toContain(empty)
})

test.each<[Screen, string]>([
  ['hooks', "Couldn't load hooks"],
  ['sandbox', "Couldn't load the sandbox"],
  ['settings', "Couldn't load settings"],
])("%s: the error if it can't be loaded, with a retry", (screen, title) => {
  const text = textOf(windowWith({ screen, core: unread }))
  expect(text).toContain(title)
  expect(text).toContain(unread.problem)
  expect(text).toContain('Try again')
})

test.each<[string, Shown, RegExp]>([
  [
    "the store can't be written",
    { core: { status: { ...status, store: { ...store, state: 'failing', problem: 'Full.' } } } },
    /Couldn't store deliveries\. +Full\. New deliveries get a 503/,
  ],
  [
    "the receiver isn't listening",
    {
      core: {
        status: {
          ...status,
          receiver: { ...receiver, state: 'failed', url: null, problem: 'Port 4783 is taken.' },
        },
      },
    },
    /The receiver isn't listening\. +Port 4783 is taken\..*Change port…/,
  ],
  [
    'no sandbox is running',
    { screen: 'sandbox', core: { status: { ...status, sandbox: null } } },
    /The sandbox isn't running/,
  ],
  [
    "deliveries can't be loaded",
    { list: { phase: 'failed', problem: 'Broken.' } },
    /Couldn't load deliveries +Broken\. +Try again/,
  ],
  [
    'the connection is lost',
    { screen: 'sandbox', core: { connection: { phase: 'lost', reason: 'It ended.' } } },
    /^ *Connection lost\. Reconnecting….*Disconnected/,
  ],
  [
    'the session has ended: the command that opens a new one, with the data folder',
    { screen: 'hooks', core: { connection: { phase: 'over' } } },
    /Signed out.* npx countersign open --data '\/home\/nadia\/data folder'/,
  ],
  [
    'the session has ended, of a page that knows no data folder',
    { screen: 'hooks', core: { connection: { phase: 'over' }, status: null } },
    /Signed out.* npx countersign open .*add the same option/,
  ],
])('%s', (_name, shown, text) => {
  expect(textOf(windowWith(shown))).toMatch(text)
})

test('a failed read keeps the state of the receiver and the status bar, and claims no missing handler', () => {
  const window = openAskedWindow()
  window.know('app.status', {}, status)
  window.store.setState(({ core, list, navigation }) => ({
    core: { ...core, connection: { phase: 'open' }, problem: unread.problem },
    list: { ...list, phase: 'failed', problem: unread.problem },
    navigation: { ...navigation, screen: 'flows' },
  }))
  vi.stubGlobal('window', {})
  const [list, flows] = [DeliveryListPane, App].map((part) =>
    textOf(markupOf(window, createElement(part))),
  )
  vi.unstubAllGlobals()
  expect(list).toMatch(/Receiving https:.*Couldn't load deliveries/)
  expect(flows).toMatch(/Handler (?!None).*0 stored deliveries/)
})

test('nothing claims to receive without a connection, and no URL is shown that nothing listens on', () => {
  const lost = { phase: 'lost', reason: 'It ended.' } as const
  expect(textOf(windowWith({}))).toContain('Receiving')
  expect(textOf(windowWith({ core: { connection: lost } }))).not.toContain('Receiving')
  const down = { ...status, receiver: { ...receiver, state: 'failed', url: null } as const }
  expect(windowWith({ core: { status: down } })).not.toContain('/h/my-hook')
})
