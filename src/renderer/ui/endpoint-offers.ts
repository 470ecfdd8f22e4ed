/**
 * Suggestions for an endpoint: saved handlers, then URLs typed before; and a name for a new
 * handler.
 */
import { handlerNameIn, targetKind, withScheme } from '../../shared/http.ts'
import type { SavedHandler } from '../../shared/model/handler.ts'
import type { Suggestion } from './suggest-input.tsx'

export function handlerRef({ name }: Pick<SavedHandler, 'name'>): string {
  return `@${name}`
}

/**
 * Returns the saved handler that a text names, as `@NAME` or `handler:NAME`; null if it names none.
 */
export function namedHandler(text: string, handlers: readonly SavedHandler[]): SavedHandler | null {
  const name = handlerNameIn(text)?.toLowerCase()
  return handlers.find((handler) => handler.name.toLowerCase() === name) ?? null
}

/** Normalizes a URL for comparisons: `localhost:3000/a` becomes `http://localhost:3000/a`. */
function normalizedUrl(url: string): string {
  return URL.parse(withScheme(url.trim()))?.href ?? url.trim()
}

/** Returns the saved handler with this URL, however it is typed; null if there is none. */
export function handlerAt(url: string, handlers: readonly SavedHandler[]): SavedHandler | null {
  return handlers.find((handler) => normalizedUrl(handler.url) === normalizedUrl(url)) ?? null
}

/** Returns saved handlers, the current one first, then other URLs typed before. */
export function offeredEndpoints(
  handlers: readonly SavedHandler[],
  recent: readonly string[],
): readonly Suggestion[] {
  const saved = handlers
    .toSorted(
      (left, right) =>
        Number(right.current) - Number(left.current) || left.name.localeCompare(right.name),
    )
    .map((handler) => ({ value: handlerRef(handler), note: handler.url, group: 'Saved handlers' }))
  const others = [...new Map(recent.map((url) => [normalizedUrl(url), url])).values()]
    .filter((url) => handlerAt(url, handlers) === null)
    .map((url) => ({ value: url, group: 'Recent' }))
  return [...saved, ...others]
}

const COMMON = new Set(['www', 'api', 'hooks', 'webhook', 'webhooks'])

/**
 * Returns a name for an endpoint from its host, such as `local` or `staging`; numbered if it is
 * taken.
 */
export function suggestedName(url: string, otherNames: readonly string[]): string {
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
  const isFree = (candidate: string) =>
    !otherNames.some((otherName) => otherName.toLowerCase() === candidate.toLowerCase())
  if (isFree(name)) return name
  // Several services on this computer differ by port.
  if (isHere && port !== '' && isFree(`${name}-${port}`)) return `${name}-${port}`
  let number = 2
  while (!isFree(`${name}-${number}`)) number++
  return `${name}-${number}`
}
