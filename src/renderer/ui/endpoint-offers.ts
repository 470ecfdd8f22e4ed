/** What a form offers for an endpoint: saved handlers first, then URLs typed before. Also suggests the name of a handler to save. */
import { handlerNameIn, targetKind, withScheme } from '../../shared/http.ts'
import type { SavedHandler } from '../../shared/model/handler.ts'
import type { Suggestion } from './field.tsx'

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

/** Saved handlers, the current one first, then other URLs typed before. */
export function offeredEndpoints(
  handlers: readonly SavedHandler[],
  recent: readonly string[],
): readonly Suggestion[] {
  const saved = handlers
    .toSorted(
      (one, other) =>
        Number(other.current) - Number(one.current) || one.name.localeCompare(other.name),
    )
    .map((one) => ({ value: handlerRef(one), note: one.url, group: 'Saved handlers' }))
  const others = [...new Map(recent.map((url) => [spelled(url), url])).values()]
    .filter((url) => handlerAt(url, handlers) === null)
    .map((url) => ({ value: url, group: 'Recent' }))
  return [...saved, ...others]
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
  const name = base.replaceAll(/^-+|(?<!-)-+$/g, '') || 'handler'
  const isFree = (wanted: string) =>
    !taken.some((other) => other.toLowerCase() === wanted.toLowerCase())
  if (isFree(name)) return name
  // Several services on this computer differ by port.
  if (isHere && port !== '' && isFree(`${name}-${port}`)) return `${name}-${port}`
  let number = 2
  while (!isFree(`${name}-${number}`)) number++
  return `${name}-${number}`
}
