/**
 * Opens links and files that the system hands to the app: as arguments, from a second start, through macOS's events, or chosen in its
 * dialog.
 */
import type { App, Dialog, OpenDialogOptions } from 'electron'
import { AppError } from '../shared/contract/errors.ts'
import {
  type NativeEventName,
  type NativePayloadOf,
  OPENED_PIECE,
  type NativeOutputOf,
  type OpenedFile,
} from '../shared/contract/native.ts'
import { FILE_EXTENSIONS, type FileKind, fileKindOf } from '../shared/model/file-kind.ts'
import type { NativeHandlers } from '../shared/rpc/router.ts'
import type { MainWindow } from './window.ts'
import { isAbsolute, resolve, basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { VALUE_OPTIONS } from './command-line.ts'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { FLOW_FILE_BYTES } from '../shared/model/flow.ts'
import { MOST_AUTHORITY } from '../shared/model/send.ts'

interface OpeningPage {
  readonly window: MainWindow
  /** Sends an event to the window's page, once it is there. */
  tell<K extends NativeEventName>(event: K, payload: NativePayloadOf<K>): void
}

type FileCommand = 'native.chooseFile' | 'native.lookAtFile' | 'native.readFile'

export interface Opening {
  readonly handlers: Pick<NativeHandlers, FileCommand>
  /** Opens what waits, and everything later. */
  connect(page: OpeningPage): void
}

const dialogWords: Readonly<Record<FileKind, { readonly title: string; readonly type: string }>> = {
  capture: { title: 'Import deliveries', type: 'Exported deliveries' },
  flow: { title: 'Open a flow', type: 'Flows' },
  certificate: { title: 'Choose a CA certificate', type: 'Certificates' },
}

/** What the system's dialog shows when it asks for a file. */
export function openDialog(kind: FileKind): OpenDialogOptions {
  const { title, type } = dialogWords[kind]
  return {
    title,
    // A Mac's dialog has no title.
    message: title,
    properties: ['openFile'],
    filters: [
      { name: type, extensions: [...FILE_EXTENSIONS[kind]] },
      { name: 'All files', extensions: ['*'] },
    ],
  }
}

/** `words` are the arguments of this start. Call before the app is ready: macOS sends its events then. */
export function setupOpening(
  { app, dialog }: { readonly app: App; readonly dialog: Pick<Dialog, 'showOpenDialog'> },
  words: readonly string[],
): Opening {
  const files = createOpenedFiles()
  const waiting = [...words]
  let page: OpeningPage | null = null
  let isChoosing = false

  const openWord = async (word: string, { tell }: OpeningPage) => {
    const request = readOpenRequest(word)
    if (request.kind === 'delivery') tell('native.showDelivery', { deliveryId: request.deliveryId })
    else if (request.kind === 'problem')
      tell('native.problem', { title: "Couldn't open it", message: request.message })
    else
      try {
        tell('native.openFile', await files.add(request.path, request.is))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        tell('native.problem', { title: "Couldn't open the file", message: error.message })
      }
  }
  const openAll = (given: readonly string[]) => {
    if (page === null) {
      waiting.push(...given)
      return
    }
    if (given.length > 0) page.window.show()
    for (const word of given) void openWord(word, page)
  }

  app.on('open-file', (event, path) => {
    event.preventDefault()
    openAll([path])
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    openAll([url])
  })
  app.on('second-instance', (_event, _argv, _folder, data) => openAll(readForwarded(data)))
  // A checkout would register the bare Electron binary.
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME)

  return {
    handlers: {
      async 'native.chooseFile'({ kind }) {
        const owner = page?.window.current() ?? null
        // A page that keeps asking must not cover the screen.
        if (owner === null || isChoosing) return { file: null }
        isChoosing = true
        try {
          const [path] = (await dialog.showOpenDialog(owner, openDialog(kind))).filePaths
          return { file: path === undefined ? null : await files.add(path, kind) }
        } finally {
          isChoosing = false
        }
      },
      'native.lookAtFile': ({ handle }) => files.stat(handle),
      'native.readFile': ({ handle, offset }) => files.read(handle, offset),
    },
    connect(connected) {
      page = connected
      // The first window shows itself once it has content.
      for (const word of waiting.splice(0)) void openWord(word, connected)
    },
  }
}

// What the system asks the app to open: a link, or a file by its path. Links come from any web page and arguments from any
// program, so only exact forms are accepted.

/** The scheme of links to deliveries. */
const LINK_SCHEME = 'countersign'

type OpenRequest =
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

// Files that the user opened through the system or chose in its dialog. The page gets a handle and reads by it; it never sees a
// path, and can't name one. Each reading opens the file again, because editors replace a file when they save it.

const GIB = 1_073_741_824
/** Bytes that a file may have, and what to say about a larger one. */
const limits: Readonly<Record<FileKind, { readonly largest: number; readonly reason: string }>> = {
  // The command line imports a larger one: nobody waits for a window there.
  capture: {
    largest: 8 * GIB,
    reason: 'It is larger than 8 GiB. Import it with "countersign import".',
  },
  flow: {
    largest: FLOW_FILE_BYTES,
    reason: 'It is larger than 1 MiB. Split the flow into smaller files.',
  },
  certificate: {
    largest: MOST_AUTHORITY,
    reason: 'It is larger than 256 KiB. A CA certificate file has a few thousand bytes.',
  },
}
/** Files that a page can still read: those opened last. */
const MOST_FILES = 16

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'It was moved or deleted.',
  EACCES: "You don't have permission to read it.",
  EPERM: "You don't have permission to read it.",
  EISDIR: 'It is a folder.',
}

export interface OpenedFiles {
  /** Checks the file and gives it a handle. Rejects with a sentence for the user. */
  add(path: string, kind: FileKind): Promise<OpenedFile>
  /** The size and time of change now. */
  stat(handle: string): Promise<NativeOutputOf<'native.lookAtFile'>>
  /** The bytes from `offset`, as many as fit into one message. */
  read(handle: string, offset: number): Promise<NativeOutputOf<'native.readFile'>>
}

interface Known {
  readonly path: string
  readonly kind: FileKind
}

/** Opens a regular file, runs `task`, and closes it. Not blocking: opening a pipe would wait for a writer. */
async function withFile<T>(
  { path, kind }: Known,
  task: (file: FileHandle, size: number, changedAt: number) => Promise<T>,
): Promise<T> {
  const name = basename(path)
  const refuse = (reason: string) =>
    new AppError('INVALID_INPUT', `Couldn't open ${name}. ${reason}`)
  // Missing on Windows.
  const flags = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0)
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw refuse(reasons[error.code ?? ''] ?? "It can't be read.")
  })
  try {
    const stats = await file.stat()
    const { size, mtimeMs } = stats
    if (!stats.isFile()) throw refuse("It isn't a regular file.")
    if (size > limits[kind].largest) throw refuse(limits[kind].reason)
    return await task(file, size, mtimeMs)
  } finally {
    await file.close()
  }
}

export function createOpenedFiles(): OpenedFiles {
  const files = new Map<string, Known>()
  const knownBy = (handle: string): Known => {
    const known = files.get(handle)
    if (known === undefined)
      throw new AppError('NOT_FOUND', 'The file is no longer open. Open it again.')
    return known
  }
  return {
    add: async (path, kind) => {
      const known = { path, kind }
      return withFile(known, (_file, size, changedAt) => {
        const handle = randomUUID()
        files.set(handle, known)
        for (const oldest of [...files.keys()].slice(0, -MOST_FILES)) files.delete(oldest)
        return Promise.resolve({ handle, kind, name: basename(path), size, changedAt })
      })
    },
    stat: async (handle) =>
      withFile(knownBy(handle), (_file, size, changedAt) => Promise.resolve({ size, changedAt })),
    read: async (handle, offset) =>
      withFile(knownBy(handle), async (file) => {
        const bytes = Buffer.alloc(OPENED_PIECE)
        const { bytesRead } = await file.read(bytes, 0, OPENED_PIECE, offset)
        return { base64: bytes.toString('base64', 0, bytesRead) }
      }),
  }
}
