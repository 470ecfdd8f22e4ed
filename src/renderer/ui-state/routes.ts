/** Addresses of the screens: the text after `#` names the screen, the item and the selection. */
import { addressedDialogs, screenNames, screens, type Screen } from '../screens.ts'

export const { tab: tabs } = screens.deliveries.words
export const { tab: compareTabs } = screens.compare.words
export const { section: settingsSections } = screens.settings.words

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

const namesIn = (path: string) =>
  path.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : []))

/** Old words in links, mapped to today's. */
const successors: Readonly<Record<string, string>> = {
  attempts: 'history',
  replays: 'history',
  lifecycle: 'history',
}

/** Returns the parameters of a path; null if it has another form. */
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
    const allowedWords = words[name.slice(1)]
    const value =
      allowedWords === undefined || allowedWords.includes(part) ? part : successors[part]
    if (value === undefined || allowedWords?.includes(value) === false) return null
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

export const queryNames = (screen: Screen): readonly string[] => rows[screen].query ?? []

/**
 * Parses the text after the page's URL, such as `#/hooks/ID`; an unknown one leads to a screen's
 * start.
 */
export function parseAddress(hash: string): {
  readonly route: Address
  readonly isKnown: boolean
  readonly dialog: AddressedDialog | null
} {
  const [place = '', ...rest] = hash.replace(/^#?\/?/, '').split('?')
  const query = new URLSearchParams(rest.join('?'))
  const text = place.replace(/\/$/, '')
  const [first = '', ...parts] = text.split('/').map(decoded)
  const screen = screenNames.find((name) => name === first)
  const { paths, words, start = {} } = rows[screen ?? 'deliveries']
  const isStart = parts.length === 0 && (screen !== undefined || text === '')
  const pathParams =
    screen === undefined || parts.includes('')
      ? undefined
      : paths.map((path) => match(path, parts, words)).find((params) => params !== null)
  const route = { screen: screen ?? 'deliveries', params: isStart ? start : (pathParams ?? start) }
  const presentNames = queryNames(route.screen).filter((name) => query.get(name))
  const dialogName = addressedDialogs.find((name) => query.has(name))
  return {
    route: {
      ...route,
      params: {
        ...route.params,
        ...Object.fromEntries(presentNames.map((name) => [name, query.get(name)])),
      },
    },
    isKnown: isStart || pathParams !== undefined,
    dialog:
      dialogName === undefined ? null : { name: dialogName, about: query.get(dialogName) || null },
  }
}

/** Prints an address, such as `#/flows/purchase-visa/runs/ID` or `#/deliveries?q=is:valid`. */
export function printAddress<S extends Screen>(
  screen: S,
  params: Params<S>,
  dialog: AddressedDialog | null = null,
): string {
  const entries = Object.entries<unknown>(params).filter(([, value]) => value != null) as [
    string,
    string,
  ][]
  const isQuery = ([name]: [string, string]) => queryNames(screen).includes(name)
  const values = new Map(entries.filter((entry) => !isQuery(entry)))
  const query = new URLSearchParams(entries.filter(isQuery))
  if (dialog !== null) query.set(dialog.name, dialog.about ?? '')
  const path = rows[screen].paths.find((pattern) => {
    const names = namesIn(pattern)
    return names.length === values.size && names.every((name) => values.has(name))
  })
  const parts = (path ?? '').split('/').map((part) => values.get(part.slice(1)) ?? part)
  const text = ['#', screen, ...parts.filter((part) => part !== '')]
    .map((part, place) => (place === 0 ? part : encodeURIComponent(part.toWellFormed())))
    .join('/')
  // Readable, as in `?q=is:valid`.
  const after = String(query).replaceAll(/%(?:3A|2F)/g, decodeURIComponent)
  return after === '' ? text : `${text}?${after}`
}

/** Whether a route leads to another page rather than to another selection. */
export function isOtherPage(from: Address, to: Address): boolean {
  const hasOtherPage = rows[to.screen].isOtherPage
  return (
    from.screen !== to.screen || hasOtherPage?.(from.params as never, to.params as never) === true
  )
}

export const startParams = Object.fromEntries(
  screenNames.map((screen) => [screen, rows[screen].start ?? {}]),
) as { readonly [S in Screen]: Params<S> }
