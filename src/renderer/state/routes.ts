/**
 * The addresses of the screens: the text after `#` names the screen, the opened item and the selection. Reload, Back, Forward and
 * links all use it.
 */
import { screens } from '../screens.ts'

export const { tab: tabs } = screens.deliveries.words
export const { tab: compareTabs } = screens.compare.words
export const { section: settingsSections } = screens.settings.words

export type Screen = keyof typeof screens
type NamesIn<Path> = Path extends `${infer First}/${infer Rest}`
  ? NamesIn<First> | NamesIn<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never
export type Params<S extends Screen> = {
  readonly [Name in NamesIn<(typeof screens)[S]['paths'][number]>]?:
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

interface RouteRow {
  readonly paths: readonly string[]
  readonly words: Readonly<Record<string, readonly string[]>>
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

/** Reads the text after the page's URL, with or without its slash: `#/hooks/ID`, `#hooks`. An unknown one shows its screen's start. */
export function parseAddress(hash: string): { readonly route: Address; readonly isKnown: boolean } {
  const text = hash.replace(/^#?\/?/, '').replace(/\/$/, '')
  const [first = '', ...parts] = text.split('/').map(decoded)
  const screen = screenNames.find((one) => one === first)
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

/** Whether a route leads to another page, not only to another selection on it. */
export function isOtherPage(from: Address, to: Address): boolean {
  const differs = rows[to.screen].isOtherPage
  return from.screen !== to.screen || differs?.(from.params as never, to.params as never) === true
}

/** The first address of each screen. */
export const starts = Object.fromEntries(
  screenNames.map((screen) => [screen, rows[screen].start ?? {}]),
) as { readonly [S in Screen]: Params<S> }
