/**
 * What the system asks the app to open: a link, or a file by its path. Links come from any web page and arguments from any program,
 * so only exact forms are accepted.
 */
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { fileKindOf } from '../shared/model/file-kind.ts'
import { VALUE_OPTIONS } from './command-line.ts'

/** The scheme of links to deliveries. */
export const LINK_SCHEME = 'countersign'

export type OpenRequest =
  | { readonly kind: 'delivery'; readonly deliveryId: string }
  | { readonly kind: 'file'; readonly path: string; readonly is: 'capture' | 'flow' }
  /** Can't be opened; the message is for the user. */
  | { readonly kind: 'problem'; readonly message: string }

/** A whole id, or the 8 to 12 characters at its end that the window shows. Nothing in it can be a path, a query or an option. */
const deliveryLink =
  /^countersign:\/\/delivery\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{8,12})$/

/** The id in a link to a delivery; null for any other text. */
export function parseDeliveryLink(text: string): string | null {
  return deliveryLink.exec(text)?.[1] ?? null
}

function isLink(word: string): boolean {
  return word.toLowerCase().startsWith(`${LINK_SCHEME}:`)
}

/** Longest argument in characters; the rest is cut off. Paths and links are shorter, so a cut argument is refused with a message. */
const LONGEST_WORD = 8_192
/** More files at once are a mistake. */
const MOST_WORDS = 10

const cut = (word: string) => word.slice(0, LONGEST_WORD)

/**
 * The arguments to open, with absolute paths. `argv` begins with the program; `isPackaged` is false if the app's folder follows it.
 * A link ends them: a page could have put options into a link with a quotation mark.
 */
export function wordsToOpen(
  argv: readonly string[],
  isPackaged: boolean,
  folder: string,
): string[] {
  const words: string[] = []
  let isAppSeen = isPackaged
  let isValue = false
  for (const word of argv.slice(1)) {
    if (isValue) isValue = false
    else if (word.startsWith('-')) isValue = VALUE_OPTIONS.includes(word)
    else if (!isAppSeen) isAppSeen = true
    else if (isLink(word)) return [...words, cut(word)].slice(-MOST_WORDS)
    else if (word !== '') words.push(cut(/^file:/i.test(word) ? word : resolve(folder, word)))
  }
  return words.slice(0, MOST_WORDS)
}

function pathOf(word: string): string | null {
  if (!/^file:/i.test(word)) return isAbsolute(word) ? word : null
  try {
    const path = fileURLToPath(word)
    // On Windows, a URL with a host is a network share.
    return new URL(word).host === '' ? path : null
  } catch {
    return null
  }
}

/** Reads one of `wordsToOpen`, a link, or a path from the system. */
export function readOpenRequest(word: string): OpenRequest {
  if (isLink(word)) {
    const deliveryId = parseDeliveryLink(word)
    return deliveryId === null
      ? {
          kind: 'problem',
          message: `Links look like ${LINK_SCHEME}://delivery/ID. This one was ignored.`,
        }
      : { kind: 'delivery', deliveryId }
  }
  const path = word.includes('\0') ? null : pathOf(word)
  const is = path === null ? null : fileKindOf(path)
  if (path !== null && is !== null) return { kind: 'file', path, is }
  const message = /\.har$/i.test(word)
    ? "HTTP archives (.har) don't open from outside. In the window, choose Import deliveries."
    : 'Open an export of deliveries (.jsonl) or a flow (.json).'
  return { kind: 'problem', message }
}

const forwardedSchema = z.object({ open: z.array(z.string().max(LONGEST_WORD)).max(MOST_WORDS) })
/** What a second start hands to the first: Chromium reorders its arguments, and its folder may be another. */
export type Forwarded = z.infer<typeof forwardedSchema>

/** Reads what a second start sent. Any program of this user can send it, so anything else is nothing. */
export function readForwarded(data: unknown): readonly string[] {
  return forwardedSchema.safeParse(data).data?.open ?? []
}
