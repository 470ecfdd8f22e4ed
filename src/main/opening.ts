/**
 * Opens links and files that the system hands to the app: as arguments, from a second start, through macOS's events, or chosen in its
 * dialog.
 */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App, Dialog } from 'electron'
import { z } from 'zod'
import { AppError } from '../shared/contract/errors.ts'
import { OPENED_PIECE, type OpenedFile } from '../shared/contract/native.ts'
import { CHOSEN_EXTENSIONS, type FileKind, fileKindOf } from '../shared/model/file-kind.ts'
import { FLOW_FILE_BYTES } from '../shared/model/flow.ts'
import { MOST_AUTHORITY } from '../shared/model/send.ts'
import type { NativeHandlers } from '../shared/rpc/router.ts'
import type { Tell } from './ipc-transport.ts'
import type { MainWindow } from './window.ts'

const GIB = 1_073_741_824

/** How the dialog asks for a file, the bytes that it may have, and what to say about a larger one. */
const kinds: Readonly<
  Record<FileKind, { title: string; type: string; largest: number; reason: string }>
> = {
  capture: {
    title: 'Import deliveries',
    type: 'Exported deliveries',
    // The command line imports a larger one: nobody waits for a window there.
    largest: 8 * GIB,
    reason: 'It is larger than 8 GiB. Import it with "countersign import".',
  },
  flow: {
    title: 'Open a flow',
    type: 'Flows',
    largest: FLOW_FILE_BYTES,
    reason: 'It is larger than 1 MiB. Split the flow into smaller files.',
  },
  certificate: {
    title: 'Choose a CA certificate',
    type: 'Certificates',
    largest: MOST_AUTHORITY,
    reason: 'It is larger than 256 KiB. A CA certificate file has a few thousand bytes.',
  },
}

const forwardedSchema = z.object({ open: z.array(z.string()) })
/** What a second start hands to the first: Chromium reorders its arguments, and its folder may be another. */
export type Forwarded = z.infer<typeof forwardedSchema>

/** More links and files at once are a mistake. */
const MOST_WORDS = 10

/**
 * `words` are the links and files of this start. Call before the app is ready: macOS sends its events then. Returns the handlers of the
 * page's commands about files.
 */
export function setupOpening(
  { app, dialog }: { readonly app: App; readonly dialog: Pick<Dialog, 'showOpenDialog'> },
  words: readonly string[],
  { window, tell }: { readonly window: Pick<MainWindow, 'current' | 'show'>; readonly tell: Tell },
): Pick<NativeHandlers, 'native.chooseFile' | 'native.lookAtFile' | 'native.readFile'> {
  const files = createOpenedFiles()
  let isChoosing = false

  const openWord = async (word: string) => {
    const request = readOpenRequest(word)
    if ('deliveryId' in request) tell('native.showDelivery', request)
    else if ('message' in request) tell('native.problem', { title: "Couldn't open it", ...request })
    else
      try {
        tell('native.openFile', await files.add(request))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        tell('native.problem', { title: "Couldn't open the file", message: error.message })
      }
  }
  const openAll = (given: readonly string[]) => {
    // The first window shows itself once it has content.
    if (window.current() !== null) window.show()
    for (const word of given.slice(0, MOST_WORDS)) void openWord(word)
  }

  openAll(words)
  app.on('open-file', (event, path) => {
    event.preventDefault()
    openAll([path])
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    openAll([url])
  })
  // Any program of this user can send anything.
  app.on('second-instance', (_event, _argv, _folder, data) =>
    openAll(forwardedSchema.safeParse(data).data?.open ?? []),
  )
  // A checkout would register the bare Electron binary.
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME)

  return {
    async 'native.chooseFile'({ kind }) {
      const owner = window.current()
      // A page that keeps asking must not cover the screen.
      if (owner === null || isChoosing) return { file: null }
      isChoosing = true
      const { title, type } = kinds[kind]
      try {
        const { filePaths } = await dialog.showOpenDialog(owner, {
          title,
          // A Mac's dialog has no title.
          message: title,
          properties: ['openFile'],
          filters: [
            { name: type, extensions: [...CHOSEN_EXTENSIONS[kind]] },
            { name: 'All files', extensions: ['*'] },
          ],
        })
        const [path] = filePaths
        return { file: path === undefined ? null : await files.add({ path, kind }) }
      } finally {
        isChoosing = false
      }
    },
    'native.lookAtFile': ({ handle }) => files.stat(handle),
    'native.readFile': ({ handle, offset }) => files.read(handle, offset),
  }
}

// What the system asks the app to open: a link, or a file by its path. Links come from any web page and arguments from any
// program, so only exact forms are accepted.

const LINK_SCHEME = 'countersign'

/** A whole id, or the 8 to 12 characters at its end that the window shows. Nothing in it can be a path, a query or an option. */
const deliveryLink =
  /^countersign:\/\/delivery\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{8,12})$/

export function parseDeliveryLink(text: string): string | null {
  return deliveryLink.exec(text)?.[1] ?? null
}

export const isLink = (word: string) => word.toLowerCase().startsWith(`${LINK_SCHEME}:`)
const isFileUrl = (word: string) => /^file:/i.test(word)

/** An argument for another process, whose folder may be another. */
export const absoluteWord = (word: string) =>
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

/** A file by its absolute path. */
interface Known {
  readonly path: string
  readonly kind: FileKind
}

/** Reads a link, or a path from the arguments or the system. A message is for the user: the word can't be opened. */
export function readOpenRequest(
  word: string,
): Known | { readonly deliveryId: string } | { readonly message: string } {
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

// Files that the user opened through the system or chose in its dialog. The page gets a handle and reads by it; it never sees a
// path, and can't name one. Each reading opens the file again, because editors replace a file when they save it.

/** Files that a page can still read: those opened last. */
const MOST_FILES = 16

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'It was moved or deleted.',
  EACCES: "You don't have permission to read it.",
  EPERM: "You don't have permission to read it.",
  EISDIR: 'It is a folder.',
}

/** Opens a regular file, runs `task`, and closes it. Not blocking: opening a pipe would wait for a writer. */
async function withFile<T>(
  { path, kind }: Known,
  task: (facts: Pick<OpenedFile, 'size' | 'changedAt'>, file: FileHandle) => T | Promise<T>,
): Promise<T> {
  const refuse = (reason: string) =>
    new AppError('INVALID_INPUT', `Couldn't open ${basename(path)}. ${reason}`)
  // Missing on Windows.
  const flags = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0)
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw refuse(reasons[error.code ?? ''] ?? "It can't be read.")
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw refuse("It isn't a regular file.")
    if (stats.size > kinds[kind].largest) throw refuse(kinds[kind].reason)
    return await task({ size: stats.size, changedAt: stats.mtimeMs }, file)
  } finally {
    await file.close()
  }
}

export function createOpenedFiles() {
  const files = new Map<string, Known>()
  const knownBy = (handle: string): Known => {
    const known = files.get(handle)
    if (known === undefined)
      throw new AppError('NOT_FOUND', 'The file is no longer open. Open it again.')
    return known
  }
  return {
    /** Checks the file and gives it a handle. Rejects with a sentence for the user. */
    add: (known: Known): Promise<OpenedFile> =>
      withFile(known, (facts) => {
        const handle = randomUUID()
        files.set(handle, known)
        for (const oldest of [...files.keys()].slice(0, -MOST_FILES)) files.delete(oldest)
        return { handle, kind: known.kind, name: basename(known.path), ...facts }
      }),
    /** The size and time of change now. */
    stat: async (handle: string) => withFile(knownBy(handle), (facts) => facts),
    /** The bytes from `offset`, as many as fit into one message. */
    read: async (handle: string, offset: number) =>
      withFile(knownBy(handle), async (_facts, file) => {
        const bytes = Buffer.alloc(OPENED_PIECE)
        const { bytesRead } = await file.read(bytes, 0, OPENED_PIECE, offset)
        return { base64: bytes.toString('base64', 0, bytesRead) }
      }),
  }
}
