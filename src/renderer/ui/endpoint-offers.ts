/** What a form offers for an endpoint: saved handlers first, then URLs typed before. Also suggests the name of a handler to save. */
import { handlerNameIn, targetKind, withScheme } from '../../shared/http.ts'
import type { SavedHandler } from '../../shared/model/handler.ts'

/** An endpoint to choose: `value` is the text for the field. */
export interface EndpointOffer {
  readonly value: string
  readonly note: string
  /** Whether it is the current handler. */
  readonly current: boolean
}

export interface OfferedEndpoints {
  readonly label: string
  readonly items: readonly EndpointOffer[]
}

/** The text that names a saved handler in any field or option. */
export function handlerRef({ name }: Pick<SavedHandler, 'name'>): string {
  return `@${name}`
}

/** The saved handler that a text names, as `@NAME` or `handler:NAME`; null if it names none. */
export function namedHandler(text: string, handlers: readonly SavedHandler[]): SavedHandler | null {
  const name = handlerNameIn(text)?.toLowerCase()
  return handlers.find((one) => one.name.toLowerCase() === name) ?? null
}

/** A URL in one spelling, to compare with others: `localhost:3000/a` is `http://localhost:3000/a`. */
function spelled(url: string): string {
  return URL.parse(withScheme(url.trim()))?.href ?? url.trim()
}

/** The saved handler with this URL, however it is typed; null if there is none. */
export function handlerAt(url: string, handlers: readonly SavedHandler[]): SavedHandler | null {
  return handlers.find((one) => spelled(one.url) === spelled(url)) ?? null
}

/** Saved handlers, the current one first, then other URLs typed before. `typed` limits them to those that contain it. */
export function offeredEndpoints(
  handlers: readonly SavedHandler[],
  recent: readonly string[],
  typed: string,
): readonly OfferedEndpoints[] {
  const wanted = typed.trim().toLowerCase()
  const matches = ({ value, note }: EndpointOffer) =>
    `${value} ${note}`.toLowerCase().includes(wanted)
  const saved = handlers
    .toSorted(
      (one, other) =>
        Number(other.current) - Number(one.current) || one.name.localeCompare(other.name),
    )
    .map((one) => ({ value: handlerRef(one), note: one.url, current: one.current }))
  const others = [...new Map(recent.map((url) => [spelled(url), url])).values()]
    .filter((url) => handlerAt(url, handlers) === null)
    .map((url) => ({ value: url, note: '', current: false }))
  return [
    { label: 'Saved handlers', items: saved.filter(matches) },
    { label: 'Recent', items: others.filter(matches) },
  ].filter(({ items }) => items.length > 0)
}

/** Whether a typed text is a complete URL that no saved handler has. */
export function isUnsaved(text: string, handlers: readonly SavedHandler[]): boolean {
  return targetKind(text.trim(), null) !== 'none' && handlerAt(text, handlers) === null
}

/** Labels that many hosts share, which say nothing about one. */
const COMMON = new Set(['www', 'api', 'hooks', 'webhook', 'webhooks'])

/** A name for an endpoint from its host: `local`, `staging`, `northpine`; numbered if it is taken. */
export function suggestedName(url: string, taken: readonly string[]): string {
  const { hostname = '', port = '' } = URL.parse(withScheme(url.trim())) ?? {}
  const isHere = targetKind(url.trim(), null) === 'here'
  const labels = hostname.split('.').filter((label) => !COMMON.has(label))
  const isAddress = /^[\d.]+$|:/.test(hostname)
  const base = isHere
    ? 'local'
    : isAddress
      ? hostname.replaceAll(/[^\da-f]+/gi, '-')
      : (labels[0] ?? hostname)
  const name = base.replaceAll(/^-+|-+$/g, '') || 'handler'
  const isFree = (wanted: string) =>
    !taken.some((other) => other.toLowerCase() === wanted.toLowerCase())
  if (isFree(name)) return name
  // Several services on this computer differ by port.
  if (isHere && port !== '' && isFree(`${name}-${port}`)) return `${name}-${port}`
  let number = 2
  while (!isFree(`${name}-${number}`)) number++
  return `${name}-${number}`
}
