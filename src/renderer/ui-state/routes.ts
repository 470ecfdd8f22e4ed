/**
 * The addresses of the screens: the text after `#` names the screen, the opened item and the selection. Reload, Back, Forward and
 * links all use it.
 */
import { addressedDialogs, screens } from '../screens.ts'

export const { tab: tabs } = screens.deliveries.words
export const { tab: compareTabs } = screens.compare.words
export const { section: settingsSections } = screens.settings.words

export type Screen = keyof typeof screens
type NamesIn<Path> = Path extends `${infer First}/${infer Rest}`
  ? NamesIn<First> | NamesIn<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never
type QueryOf<S extends Screen> = (typeof screens)[S] extends {
  readonly query: readonly (infer Name extends string)[]
}
  ? Name
  : never
export type Params<S extends Screen> = {
  readonly [Name in NamesIn<(typeof screens)[S]['paths'][number]> | QueryOf<S>]?:
    | (Name extends keyof (typeof screens)[S]['words']
        ? (typeof screens)[S]['words'][Name] extends readonly (infer Word)[]
          ? Word
          : never
        : string)
    | undefined
}
export type Tab = (typeof tabs)[number]
export type CompareTab = (typeof compareTabs)[number]
export type SandboxView = (typeof screens.sandbox.words.view)[number]
export type SettingsSection = (typeof settingsSections)[number]

export type Address = {
  readonly [S in Screen]: { readonly screen: S; readonly params: Params<S> }
}[Screen]

/** A dialog of the address; `about` names its subject, null for the default one. */
export interface AddressedDialog {
  readonly name: (typeof addressedDialogs)[number]
  readonly about: string | null
}

interface RouteRow {
  readonly paths: readonly string[]
  readonly words: Readonly<Record<string, readonly string[]>>
  readonly query?: readonly string[]
  readonly start?: Readonly<Record<string, string>>
  readonly isOtherPage?: (from: never, to: never) => boolean
}

const rows: Readonly<Record<Screen, RouteRow>> = screens
export const screenNames = Object.keys(screens) as Screen[]

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

/** The parameters of a screen that follow the path. */
export const queryNames = (screen: Screen): readonly string[] => rows[screen].query ?? []

/** Reads the text after the page's URL, with or without its slash: `#/hooks/ID`, `#hooks`. An unknown one shows its screen's start. */
export function parseAddress(hash: string): {
  readonly route: Address
  readonly isKnown: boolean
  readonly dialog: AddressedDialog | null
} {
  const [place = '', ...rest] = hash.replace(/^#?\/?/, '').split('?')
  const query = new URLSearchParams(rest.join('?'))
  const text = place.replace(/\/$/, '')
  const [first = '', ...parts] = text.split('/').map(decoded)
  const screen = screenNames.find((one) => one === first)
  const { paths, words, start = {} } = rows[screen ?? 'deliveries']
  const isStart = parts.length === 0 && (screen !== undefined || text === '')
  const found =
    screen === undefined || parts.includes('')
      ? undefined
      : paths.map((path) => match(path, parts, words)).find((params) => params !== null)
  const route = { screen: screen ?? 'deliveries', params: isStart ? start : (found ?? start) }
  const given = queryNames(route.screen).filter((name) => query.get(name))
  const name = addressedDialogs.find((one) => query.has(one))
  return {
    route: {
      ...route,
      params: { ...route.params, ...Object.fromEntries(given.map((one) => [one, query.get(one)])) },
    },
    isKnown: isStart || found !== undefined,
    dialog: name === undefined ? null : { name, about: query.get(name) || null },
  }
}

/**
 * The text of an address: `#/flows/purchase-visa/runs/ID/steps/clearing`,
 * `#/deliveries?q=is:valid`.
 */
export function printAddress<S extends Screen>(
  screen: S,
  params: Params<S>,
  dialog: AddressedDialog | null = null,
): string {
  const given = Object.entries<unknown>(params).filter(([, value]) => value != null) as [
    string,
    string,
  ][]
  const isQuery = ([name]: [string, string]) => queryNames(screen).includes(name)
  const values = new Map(given.filter((one) => !isQuery(one)))
  const query = new URLSearchParams(given.filter(isQuery))
  if (dialog !== null) query.set(dialog.name, dialog.about ?? '')
  const path = rows[screen].paths.find((one) => {
    const names = namesIn(one)
    return names.length === values.size && names.every((name) => values.has(name))
  })
  const parts = (path ?? '').split('/').map((part) => values.get(part.slice(1)) ?? part)
  const text = ['#', screen, ...parts.filter((part) => part !== '')]
    .map((part, place) => (place === 0 ? part : encodeURIComponent(part.toWellFormed())))
    .join('/')
  // Readable: `?q=is:valid`.
  const after = String(query).replaceAll(/%(?:3A|2F)/g, decodeURIComponent)
  return after === '' ? text : `${text}?${after}`
}

/** Whether a route leads to another page, not only to another selection on it. */
export function isOtherPage(from: Address, to: Address): boolean {
  const differs = rows[to.screen].isOtherPage
  return from.screen !== to.screen || differs?.(from.params as never, to.params as never) === true
}

/** The first address of each screen. */
export const starts = Object.fromEntries(
  screenNames.map((screen) => [screen, rows[screen].start ?? {}]),
) as { readonly [S in Screen]: Params<S> }
