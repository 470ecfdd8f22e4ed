/**
 * The screens and their addresses: the text after `#` names the screen, the opened item and the selection. Reload, Back, Forward
 * and links all use it. `screens.ts` has what each screen draws.
 */
import { sandboxObjectKindSchema } from '../../shared/model/sandbox.ts'

export const tabs = ['overview', 'signature', 'body', 'headers', 'history', 'raw'] as const
export const compareTabs = ['structure', 'text', 'headers', 'signature'] as const
export const sandboxViews = ['trigger', 'objects', 'log'] as const
export const settingsSections = [
  'environments',
  'receiver',
  'handlers',
  'appearance',
  'keyboard',
  'desktop',
  'secrets',
  'storage',
  'retention',
  'transfer',
  'remote',
  'about',
] as const

/**
 * Each screen with the keys that go there and its paths; `:name` is a parameter. `words`: the values that a parameter can have.
 * `start`: where an empty path leads.
 */
export const routes = {
  deliveries: {
    title: 'Deliveries',
    keys: ['g d'],
    paths: ['', ':id', ':id/:tab'],
    words: { tab: tabs },
  },
  handlers: { title: 'Handlers', keys: ['g e'], paths: ['', ':name'], words: {} },
  forward: { title: 'Forward', keys: ['g w'], paths: ['', ':id'], words: {} },
  check: {
    title: 'Check',
    keys: ['g k'],
    paths: ['', ':form', 'runs/:run', 'runs/:run/cases/:case'],
    words: { form: ['new'] },
  },
  hooks: { title: 'Hooks', keys: ['g h'], paths: ['', ':id'], words: {} },
  flows: {
    title: 'Flows',
    keys: ['g f'],
    paths: [
      '',
      ':flow',
      ':flow/runs/:run',
      ':flow/steps/:step',
      ':flow/runs/:run/steps/:step',
      // A file, which the page can't reopen by itself.
      'files/:file',
      'files/:file/runs/:run',
      'files/:file/steps/:step',
      'files/:file/runs/:run/steps/:step',
    ],
    words: {},
  },
  sandbox: {
    title: 'Sandbox',
    keys: ['g s'],
    paths: [
      ':view',
      ':view/:kind',
      ':view/:kind/:id',
      ':view/:id',
      ':mode',
      ':mode/:view',
      ':mode/:view/:kind',
      ':mode/:view/:kind/:id',
      ':mode/:view/:id',
    ],
    words: { mode: ['live'], view: sandboxViews, kind: sandboxObjectKindSchema.options },
    start: { view: 'trigger' },
  },
  compare: {
    title: 'Compare',
    keys: ['g c'],
    paths: ['', ':left/:right', ':left/:right/:tab'],
    words: { tab: compareTabs },
  },
  settings: {
    title: 'Settings',
    keys: ['g ,', 'Mod+,'],
    paths: [':section'],
    words: { section: settingsSections },
    start: { section: 'environments' },
  },
} as const

export type Screen = keyof typeof routes
type NamesIn<Path> = Path extends `${infer First}/${infer Rest}`
  ? NamesIn<First> | NamesIn<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never
/** The parameters of a screen's address. */
export type Params<S extends Screen> = {
  readonly [Name in NamesIn<(typeof routes)[S]['paths'][number]>]?:
    | (Name extends keyof (typeof routes)[S]['words']
        ? (typeof routes)[S]['words'][Name] extends readonly (infer Word)[]
          ? Word
          : never
        : string)
    | undefined
}
export type Tab = (typeof tabs)[number]
export type CompareTab = (typeof compareTabs)[number]
export type SandboxView = (typeof sandboxViews)[number]
export type SettingsSection = (typeof settingsSections)[number]

export type Address = {
  readonly [S in Screen]: { readonly screen: S; readonly params: Params<S> }
}[Screen]

interface RouteRow {
  readonly title: string
  readonly keys: readonly string[]
  readonly paths: readonly string[]
  readonly words: Readonly<Record<string, readonly string[]>>
  readonly start?: Readonly<Record<string, string>>
}

const rows: Readonly<Record<Screen, RouteRow>> = routes
export const screens = Object.keys(routes) as Screen[]

const namesIn = (path: string) =>
  path.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []))

/** Words of earlier versions, which links still have. */
const renamed: Readonly<Record<string, string>> = {
  attempts: 'history',
  replays: 'history',
  lifecycle: 'history',
}

/** The parameters of a path; null if it isn't of this form. */
function match(path: string, parts: readonly string[], words: RouteRow['words']) {
  const names = path === '' ? [] : path.split('/')
  if (names.length !== parts.length) return null
  const params: Record<string, string> = {}
  for (const [place, part] of parts.entries()) {
    const name = names[place] ?? ''
    if (!name.startsWith(':')) {
      if (part !== name) return null
      continue
    }
    const known = words[name.slice(1)]
    const value = known === undefined || known.includes(part) ? part : renamed[part]
    if (value === undefined || known?.includes(value) === false) return null
    params[name.slice(1)] = value
  }
  return params
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

/** Reads the text after the page's URL, with or without its slash: `#/hooks/ID`, `#hooks`. An unknown one shows its screen's start. */
export function parseAddress(hash: string): { readonly route: Address; readonly isKnown: boolean } {
  const text = hash.replace(/^#?\/?/, '').replace(/\/$/, '')
  const [first = '', ...parts] = text.split('/').map(decoded)
  const screen = screens.find((one) => one === first)
  const { paths, words, start = {} } = rows[screen ?? 'deliveries']
  const isStart = parts.length === 0 && (screen !== undefined || text === '')
  const found =
    screen === undefined || parts.includes('')
      ? undefined
      : paths.map((path) => match(path, parts, words)).find((params) => params !== null)
  const params = isStart ? start : (found ?? start)
  return {
    route: { screen: screen ?? 'deliveries', params },
    isKnown: isStart || found !== undefined,
  }
}

/** The text of an address: `#/flows/purchase-visa/runs/ID/steps/clearing`. */
export function printAddress<S extends Screen>(screen: S, params: Params<S>): string {
  const given = Object.entries<unknown>(params).filter(([, value]) => value != null)
  const values = new Map(given as [string, string][])
  const path = rows[screen].paths.find((one) => {
    const names = namesIn(one)
    return names.length === values.size && names.every((name) => values.has(name))
  })
  const parts = (path ?? '').split('/').map((part) => values.get(part.slice(1)) ?? part)
  return ['#', screen, ...parts.filter((part) => part !== '')]
    .map((part, place) => (place === 0 ? part : encodeURIComponent(part.toWellFormed())))
    .join('/')
}

const otherPage: { readonly [S in Screen]?: (from: Params<S>, to: Params<S>) => boolean } = {
  deliveries: (from, to) => (from.id === undefined) !== (to.id === undefined),
  // The latest run is shown without being asked for.
  flows: (from, to) =>
    from.flow !== to.flow ||
    from.file !== to.file ||
    (from.run !== undefined && from.run !== to.run),
  check: (from, to) => from.form !== to.form || (from.run !== undefined && from.run !== to.run),
  sandbox: (from, to) => from.view !== to.view,
}

/** Whether a route leads to another page, not only to another selection on it. */
export function isOtherPage(from: Address, to: Address): boolean {
  const differs = otherPage[to.screen]
  return from.screen !== to.screen || differs?.(from.params as never, to.params as never) === true
}

/** The first address of each screen. */
export const starts = Object.fromEntries(
  screens.map((screen) => [screen, rows[screen].start ?? {}]),
) as { readonly [S in Screen]: Params<S> }
