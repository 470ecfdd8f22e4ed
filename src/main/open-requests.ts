/**
 * Requests to open a link or a file. Links come from any web page, so only exact forms are
 * accepted.
 */
import { resolve, isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FileKind, fileKindOf } from '../shared/model/file-kind.ts'

export const LINK_SCHEME = 'countersign'

/** Link to a delivery by its whole ID, or by the 8 to 12 characters at its end. */
const deliveryLink =
  /^countersign:\/\/delivery\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{8,12})$/

export function parseDeliveryLink(text: string): string | null {
  return deliveryLink.exec(text)?.[1] ?? null
}

export const isLink = (word: string) => word.toLowerCase().startsWith(`${LINK_SCHEME}:`)
const isFileUrl = (word: string) => /^file:/i.test(word)

/** Returns the argument with an absolute path, for a process with another working folder. */
export const toAbsoluteArgument = (word: string) =>
  isLink(word) || isFileUrl(word) ? word : resolve(word)

function pathOf(word: string): string | null {
  if (!isFileUrl(word)) return isAbsolute(word) ? word : null
  try {
    const path = fileURLToPath(word)
    // On Windows, a URL with a host is a network share.
    return new URL(word).host === '' ? path : null
  } catch {
    return null
  }
}

export interface OpenableFile {
  readonly path: string
  readonly kind: FileKind
}

/** Returns the delivery or file to open, or a message for the user. */
export function readOpenRequest(
  word: string,
): OpenableFile | { readonly deliveryId: string } | { readonly message: string } {
  if (isLink(word)) {
    const deliveryId = parseDeliveryLink(word)
    return deliveryId === null
      ? { message: `Links look like ${LINK_SCHEME}://delivery/ID. This one was ignored.` }
      : { deliveryId }
  }
  const path = word.includes('\0') ? null : pathOf(word)
  const kind = path === null ? null : fileKindOf(path)
  if (path !== null && kind !== null) return { path, kind }
  const message = /\.har$/i.test(word)
    ? "HTTP archives (.har) don't open from outside. In the window, choose Import deliveries."
    : 'Open an export of deliveries (.jsonl) or a flow (.json).'
  return { message }
}
