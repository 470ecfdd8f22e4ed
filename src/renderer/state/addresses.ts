/**
 * The address of each screen: the text after `#` names the screen, the opened item and the selection. Reload, Back, Forward
 * and links all use it.
 */
import { sandboxObjectKindSchema, type SandboxObjectKind } from '../../shared/model/sandbox.ts'
import { compareTabs, type CompareTab } from '../features/compare/compare-slice.ts'
import { tabs, type Tab } from '../features/detail/detail-slice.ts'
import { sandboxViews, type SandboxView } from '../features/sandbox/sandbox-slice.ts'
import { settingsSections, type SettingsSection } from '../features/settings/storage-slice.ts'
import type { SliceContext } from './slice-context.ts'
import type { AppState, AppStore } from './store.ts'

export type Address =
  | { readonly screen: 'deliveries'; readonly id: string | null; readonly tab: Tab | null }
  | {
      readonly screen: 'compare'
      readonly pair: readonly [left: string, right: string] | null
      readonly tab: CompareTab | null
    }
  | { readonly screen: 'hooks' | 'forward'; readonly id: string | null }
  | { readonly screen: 'handlers'; readonly name: string | null }
  | {
      readonly screen: 'flows'
      /** A built-in flow, or a file that the page can't reopen by itself. */
      readonly flow: { readonly name: string; readonly isFile: boolean } | null
      readonly run: string | null
      /** A step's name, or the ID of an unexpected delivery. */
      readonly step: string | null
    }
  | {
      readonly screen: 'check'
      readonly isNew: boolean
      readonly run: string | null
      readonly case: string | null
    }
  | {
      readonly screen: 'sandbox'
      readonly isLive: boolean
      readonly view: SandboxView
      readonly kind: SandboxObjectKind | null
      /** An object of the kind, or a notification of the log. */
      readonly id: string | null
    }
  | { readonly screen: 'settings'; readonly section: SettingsSection | null }

type Parsed = { readonly address: Address; readonly isKnown: boolean }

function oneOf<Value extends string>(
  values: readonly Value[],
  text: string | undefined,
): Value | null {
  return values.find((value) => value === text) ?? null
}

/** The value of each `name/value` pair. Null if a name is unknown or its value missing. */
function pairsOf(
  parts: readonly string[],
  names: readonly string[],
): Readonly<Record<string, string | undefined>> | null {
  const found: Record<string, string> = {}
  for (let at = 0; at < parts.length; at += 2) {
    const [name, value] = [parts[at], parts[at + 1]]
    if (name === undefined || value === undefined || !names.includes(name)) return null
    found[name] = value
  }
  return found
}

/** The Replays tab is called `sends` in the code. */
const tabNames = tabs.map((tab) => [tab === 'sends' ? 'replays' : tab, tab] as const)

/** What the rest of an address names on its screen. Null if it names nothing. */
const readers = {
  deliveries([id, tab, ...rest]) {
    const found = tabNames.find(([name]) => name === tab)?.[1] ?? null
    if (rest.length > 0 || (tab !== undefined && found === null)) return null
    return { screen: 'deliveries', id: id ?? null, tab: found }
  },
  compare([left, right, tab, ...rest]) {
    const found = oneOf(compareTabs, tab)
    if (
      rest.length > 0 ||
      (left === undefined) !== (right === undefined) ||
      (tab !== undefined && found === null)
    )
      return null
    return {
      screen: 'compare',
      pair: left === undefined || right === undefined ? null : [left, right],
      tab: found,
    }
  },
  hooks: ([id, ...rest]) => (rest.length > 0 ? null : { screen: 'hooks', id: id ?? null }),
  forward: ([id, ...rest]) => (rest.length > 0 ? null : { screen: 'forward', id: id ?? null }),
  handlers: ([name, ...rest]) =>
    rest.length > 0 ? null : { screen: 'handlers', name: name ?? null },
  flows([first, ...others]) {
    if (first === undefined) return { screen: 'flows', flow: null, run: null, step: null }
    const isFile = first === 'files'
    const [name, rest] = isFile ? [others[0], others.slice(1)] : [first, others]
    const pairs = pairsOf(rest, ['runs', 'steps'])
    if (name === undefined || pairs === null) return null
    return {
      screen: 'flows',
      flow: { name, isFile },
      run: pairs['runs'] ?? null,
      step: pairs['steps'] ?? null,
    }
  },
  check(parts) {
    if (parts.length === 1 && parts[0] === 'new')
      return { screen: 'check', isNew: true, run: null, case: null }
    const pairs = pairsOf(parts, ['runs', 'cases'])
    if (pairs === null || (pairs['cases'] !== undefined && pairs['runs'] === undefined)) return null
    return {
      screen: 'check',
      isNew: false,
      run: pairs['runs'] ?? null,
      case: pairs['cases'] ?? null,
    }
  },
  sandbox(parts) {
    const isLive = parts[0] === 'live'
    const [view = 'trigger', first, second, ...rest] = isLive ? parts.slice(1) : parts
    const found = oneOf(sandboxViews, view)
    if (found === null || rest.length > 0) return null
    if (found !== 'objects') {
      if (second !== undefined || (found === 'trigger' && first !== undefined)) return null
      return { screen: 'sandbox', isLive, view: found, kind: null, id: first ?? null }
    }
    const kind = oneOf(sandboxObjectKindSchema.options, first)
    if (first !== undefined && kind === null) return null
    return { screen: 'sandbox', isLive, view: found, kind, id: second ?? null }
  },
  settings([name, ...rest]) {
    const section = oneOf(settingsSections, name)
    return rest.length > 0 || (name !== undefined && section === null)
      ? null
      : { screen: 'settings', section }
  },
} satisfies Readonly<Record<Address['screen'], (parts: readonly string[]) => Address | null>>

const home: Address = { screen: 'deliveries', id: null, tab: null }

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** Reads the text after the page's URL, with or without its slash: `#/hooks/ID`, `#hooks`. An unknown one shows its screen. */
export function parseAddress(hash: string): Parsed {
  const parts = hash
    .replace(/^#?\/?/, '')
    .replace(/\/$/, '')
    .split('/')
    .map(decoded)
  const [first, ...rest] = parts
  if (first === '' && rest.length === 0) return { address: home, isKnown: true }
  const screen = oneOf(Object.keys(readers) as Address['screen'][], first ?? undefined)
  if (screen === null) return { address: home, isKnown: false }
  const readable = rest.filter((part): part is string => part !== null && part !== '')
  const read = readable.length === rest.length ? readers[screen](readable) : null
  return read === null
    ? { address: readers[screen]([]) ?? home, isKnown: false }
    : { address: read, isKnown: true }
}

function partsOf(address: Address): readonly (string | null)[] {
  switch (address.screen) {
    case 'deliveries':
      return [
        address.id,
        address.id === null ? null : (tabNames.find(([, tab]) => tab === address.tab)?.[0] ?? null),
      ]
    case 'compare':
      return address.pair === null ? [] : [...address.pair, address.tab]
    case 'hooks':
    case 'forward':
      return [address.id]
    case 'handlers':
      return [address.name]
    case 'flows': {
      const { flow, run, step } = address
      if (flow === null) return []
      const named = (name: string, value: string | null) => (value === null ? [] : [name, value])
      return [
        flow.isFile ? 'files' : null,
        flow.name,
        ...named('runs', run),
        ...named('steps', step),
      ]
    }
    case 'check': {
      if (address.isNew) return ['new']
      if (address.run === null) return []
      return ['runs', address.run, ...(address.case === null ? [] : ['cases', address.case])]
    }
    case 'sandbox':
      return [address.isLive ? 'live' : null, address.view, address.kind, address.id]
    case 'settings':
      return [address.section]
  }
}

/** The text of an address: `#/flows/purchase-visa/runs/ID/steps/clearing`. */
export function printAddress(address: Address): string {
  const parts = [address.screen, ...partsOf(address)].filter((part) => part !== null)
  return `#/${parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`
}

/** The address of what the window shows. */
function shownAddress(state: AppState): Address {
  const {
    core,
    navigation,
    detail,
    compare,
    handlers,
    hooks,
    forward,
    flows,
    check,
    sandbox,
    settings,
  } = state
  switch (navigation.screen) {
    case 'deliveries':
      return detail.mode === 'closed' || detail.openId === null
        ? home
        : { screen: 'deliveries', id: detail.openId, tab: detail.tab }
    case 'compare': {
      const { left, right } = compare.choice
      // Pasted text has no address.
      if (left?.kind !== 'delivery' || right?.kind !== 'delivery')
        return { screen: 'compare', pair: null, tab: null }
      return { screen: 'compare', pair: [left.id, right.id], tab: compare.tab }
    }
    case 'hooks':
      return { screen: 'hooks', id: hooks.selectedId }
    case 'forward':
      return { screen: 'forward', id: forward.targetId }
    case 'handlers':
      return {
        screen: 'handlers',
        name: core.handlers.find(({ id }) => id === handlers.selectedId)?.name ?? null,
      }
    case 'flows': {
      const { opened, run, place } = flows
      if (opened === null) return { screen: 'flows', flow: null, run: null, step: null }
      const step =
        place === null
          ? null
          : ((run ?? opened.plan).steps.find(({ index }) => String(index) === place)?.name ?? place)
      const { name, origin } = opened.plan
      const flow =
        origin === null
          ? { name, isFile: false }
          : { name: origin.split(/[/\\]/).at(-1) ?? origin, isFile: true }
      return { screen: 'flows', flow, run: run?.id ?? null, step }
    }
    case 'check':
      if (check.formShown) return { screen: 'check', isNew: true, run: null, case: null }
      return {
        screen: 'check',
        isNew: false,
        run: check.run?.id ?? null,
        case: check.run === null ? null : check.caseName,
      }
    case 'sandbox': {
      const { view, objectKind, objectId, notificationId, environment } = sandbox
      const isLive = environment === 'sandbox-live'
      if (view === 'objects')
        return { screen: 'sandbox', isLive, view, kind: objectKind, id: objectId }
      return {
        screen: 'sandbox',
        isLive,
        view,
        kind: null,
        id: view === 'log' ? notificationId : null,
      }
    }
    case 'settings':
      return { screen: 'settings', section: settings.section }
  }
}

/** The part of an address that a new history entry is made for; the selection in it replaces the entry. */
function pageOf(address: Address): string {
  switch (address.screen) {
    case 'deliveries':
      return `deliveries ${address.id !== null}`
    case 'flows':
      return JSON.stringify([address.flow, address.run])
    case 'check':
      return `check ${address.isNew} ${address.run}`
    case 'sandbox':
      return `sandbox ${address.view}`
    case 'compare':
    case 'handlers':
    case 'hooks':
    case 'forward':
    case 'settings':
      return address.screen
  }
}

/** Shows an address. `isWanted`: false once the user has moved on. */
async function show(
  store: AppStore,
  address: Address,
  { notify }: Pick<SliceContext, 'notify'>,
  isWanted: () => boolean,
) {
  const state = store.getState()
  // Going there closes the dialogs: one opened before the first snapshot stays.
  if (state.navigation.screen !== address.screen) state.navigation.go(address.screen)
  switch (address.screen) {
    case 'deliveries':
      if (address.tab !== null) state.detail.setTab(address.tab)
      if (address.id === null) state.detail.close()
      else if (state.detail.openId !== address.id) await state.detail.goTo(address.id)
      return
    case 'compare': {
      if (address.tab !== null && address.tab !== state.compare.tab)
        state.compare.setTab(address.tab)
      if (address.pair === null) return
      const [left, right] = address.pair
      const { choice } = state.compare
      const same = choice.left?.kind === 'delivery' && choice.right?.kind === 'delivery'
      if (same && choice.left.id === left && choice.right.id === right) return
      await state.compare.start({ kind: 'delivery', id: left }, { kind: 'delivery', id: right })
      return
    }
    case 'hooks':
      if (address.id !== null) state.hooks.select(address.id)
      return
    case 'forward':
      if (address.id !== null) state.forward.selectTarget(address.id)
      return
    case 'handlers': {
      const named = state.core.handlers.find(({ name }) => name === address.name)
      if (named !== undefined) state.handlers.select(named.id)
      return
    }
    case 'flows':
      await showFlow(store, address, notify, isWanted)
      return
    case 'check':
      if (address.isNew) state.check.showForm(true)
      else if (address.run !== null) {
        if (state.check.run?.id === address.run) state.check.showForm(false)
        else await state.check.show(address.run)
        if (address.case !== null && isWanted()) store.getState().check.selectCase(address.case)
      }
      return
    case 'sandbox': {
      const environment = address.isLive ? 'sandbox-live' : 'sandbox-test'
      if (state.sandbox.environment !== environment) state.sandbox.setEnvironment(environment)
      if (address.kind !== null && address.id !== null)
        state.sandbox.showObject({ kind: address.kind, id: address.id })
      else if (address.kind !== null) state.sandbox.setObjectKind(address.kind)
      else if (address.id !== null) state.sandbox.selectNotification(address.id)
      state.sandbox.show(address.view)
      return
    }
    case 'settings':
      if (address.section !== null) state.settings.show(address.section)
  }
}

async function showFlow(
  store: AppStore,
  { flow, run, step }: Extract<Address, { screen: 'flows' }>,
  notify: SliceContext['notify'],
  isWanted: () => boolean,
): Promise<void> {
  const flows = () => store.getState().flows
  const current = shownAddress(store.getState())
  const isOpen =
    current.screen === 'flows' &&
    current.flow?.name === flow?.name &&
    current.flow?.isFile === flow?.isFile
  if (!isOpen) {
    flows().leave()
    if (flow?.isFile === true)
      notify({
        tone: 'warn',
        title: `Open ${flow.name} again`,
        message: "Countersign can't reopen a file by itself.",
      })
    if (flow === null || flow.isFile) return
    // Which run is the latest is known only from the list of runs.
    if (flows().runs === null) await flows().read()
    if (isWanted()) await flows().open(flow.name)
  }
  if (run !== null && isWanted() && flows().opened !== null && flows().run?.id !== run)
    await flows().showRun(run)
  const drawn = flows().run ?? flows().opened?.plan
  if (step === null || drawn === undefined || !isWanted()) return
  const strays = 'strays' in drawn ? drawn.strays : []
  const place =
    drawn.steps.find(({ name }) => name === step)?.index ??
    strays.find(({ deliveryId }) => deliveryId === step)?.deliveryId
  if (place !== undefined) flows().selectPlace(String(place))
}

/** The address bar and the history of the page. */
export interface AddressBar {
  hash(): string
  /** `isNew`: as a new entry of the history. */
  write(hash: string, isNew: boolean): void
  /** Called after Back, Forward, or an address that the user typed. */
  onMoved(listener: () => void): void
  /** Called before each key press and click is handled. */
  onGesture(listener: () => void): void
}

/** The address bar of this page. */
export function pageAddressBar(): AddressBar {
  return {
    hash: () => location.hash,
    write(hash, isNew) {
      if (isNew) history.pushState(null, '', hash)
      else history.replaceState(null, '', hash)
    },
    onMoved(listener) {
      // Core events between the change and `hashchange` would overwrite the entry that Back just reached.
      let reported: string | null = null
      window.addEventListener('popstate', () => {
        reported = location.hash
        listener()
      })
      window.addEventListener('hashchange', () => {
        if (location.hash !== reported) listener()
        reported = null
      })
    },
    onGesture(listener) {
      for (const name of ['keydown', 'pointerdown', 'click'])
        window.addEventListener(name, listener, { capture: true })
    },
  }
}

/**
 * Keeps the address in step with the window, both ways. Another page gets a new history entry, at most one per key press or click;
 * a selection within the page, and whatever loads later, replaces it.
 */
export function followAddress(
  store: AppStore,
  bar: AddressBar,
  context: Pick<SliceContext, 'notify'>,
): void {
  const first = parseAddress(bar.hash())
  let last = first.address
  /** A key was pressed or a button clicked since the last entry. */
  let acted = false
  /** Increments with each address to show. */
  let turn = 0
  /** The address is being shown, so it isn't overwritten with something half loaded. */
  let isShowing = true

  const write = () => {
    const state = store.getState()
    if (isShowing) return
    const now = shownAddress(state)
    const text = printAddress(now)
    if (text === bar.hash()) {
      last = now
      return
    }
    const isNew = pageOf(now) !== pageOf(last) && (acted || now.screen !== last.screen)
    bar.write(text, isNew)
    last = now
    if (isNew) acted = false
  }
  const open = async ({ address, isKnown }: Parsed) => {
    const mine = ++turn
    isShowing = true
    acted = false
    last = address
    if (!isKnown)
      context.notify({
        tone: 'warn',
        title: 'Page not found',
        message: `Nothing is at ${bar.hash()}. Showing ${screenNames[address.screen]} instead.`,
      })
    try {
      await show(store, address, context, () => mine === turn)
    } finally {
      if (mine === turn) {
        isShowing = false
        write()
      }
    }
  }
  bar.onGesture(() => {
    acted = true
  })
  /** The address to show once the first snapshot is here: most of what it names is known only then. */
  let pending: Parsed | null = first
  bar.onMoved(() => {
    const hash = bar.hash()
    const moved = parseAddress(hash)
    if (pending !== null) {
      pending = moved
      store.getState().navigation.go(moved.address.screen)
    } else if (hash !== printAddress(shownAddress(store.getState()))) {
      isShowing = true
      store.getState().navigation.closeOverlay()
      void open(moved)
    }
  })
  store.getState().navigation.go(first.address.screen)
  store.subscribe((state) => {
    if (pending !== null && state.core.status !== null) {
      const wanted = pending
      pending = null
      if (state.navigation.screen === wanted.address.screen) {
        void open(wanted)
        return
      }
      // The user has already gone elsewhere.
      isShowing = false
    }
    // The user moved on before the address was shown.
    if (pending === null && isShowing && acted && state.navigation.screen !== last.screen) {
      turn++
      isShowing = false
    }
    write()
  })
}

const screenNames: Readonly<Record<Address['screen'], string>> = {
  deliveries: 'Deliveries',
  compare: 'Compare',
  handlers: 'Handlers',
  hooks: 'Hooks',
  forward: 'Forward',
  flows: 'Flows',
  check: 'Check',
  sandbox: 'Sandbox',
  settings: 'Settings',
}
