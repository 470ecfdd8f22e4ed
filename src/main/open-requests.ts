/**
 * Requests to open a link or a file. Links come from any web page, so only exact forms are
 * accepted.
 */
import { resolve, isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FileKind, fileKindOf } from '../shared/model/file-kind.ts'

export const LINK_SCHEME = 'countersign'

/** `countersign://delivery/0199aa11`: a whole ID, or 8 to 12 characters at its end. */
const DELIVERY_LINK =
  /^countersign:\/\/delivery\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{8,12})$/

export function parseDeliveryLink(text: string): string | null {
  return DELIVERY_LINK.exec(text)?.[1] ?? null
}

export const isLink = (linkOrFile: string) => linkOrFile.toLowerCase().startsWith(`${LINK_SCHEME}:`)
const isFileUrl = (linkOrFile: string) => /^file:/i.test(linkOrFile)

/** Makes a path absolute, for a process with another working folder. */
export const toAbsoluteArgument = (linkOrFile: string) =>
  isLink(linkOrFile) || isFileUrl(linkOrFile) ? linkOrFile : resolve(linkOrFile)

function pathOf(linkOrFile: string): string | null {
  if (!isFileUrl(linkOrFile)) return isAbsolute(linkOrFile) ? linkOrFile : null
  try {
    const path = fileURLToPath(linkOrFile)
    // On Windows, a URL with a host is a network share.
    return new URL(linkOrFile).host === '' ? path : null
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
  linkOrFile: string,
): OpenableFile | { readonly deliveryId: string } | { readonly message: string } {
  if (isLink(linkOrFile)) {
    const deliveryId = parseDeliveryLink(linkOrFile)
    return deliveryId === null
      ? { message: `Links look like ${LINK_SCHEME}://delivery/ID. This one was ignored.` }
      : { deliveryId }
  }
  const path = linkOrFile.includes('\0') ? null : pathOf(linkOrFile)
  const kind = path === null ? null : fileKindOf(path)
  if (path !== null && kind !== null) return { path, kind }
  const message = /\.har$/i.test(linkOrFile)
    ? "HTTP archives (.har) don't open from outside. In the window, choose Import deliveries."
    : 'Open an export of deliveries (.jsonl) or a flow (.json).'
  return { message }
}
