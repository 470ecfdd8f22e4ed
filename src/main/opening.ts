/**
 * Opens links and files that the system hands to the app: as arguments, from a second start, through macOS's events, or chosen in its
 * dialog.
 */
import type { App, Dialog, OpenDialogOptions } from 'electron'
import { AppError } from '../shared/contract/errors.ts'
import type { NativeEventName, NativePayloadOf } from '../shared/contract/native.ts'
import { FILE_EXTENSIONS, type FileKind } from '../shared/model/file-kind.ts'
import type { NativeHandlers } from '../shared/rpc/router.ts'
import { createOpenedFiles } from './opened-files.ts'
import { LINK_SCHEME, readForwarded, readOpenRequest } from './open-requests.ts'
import type { MainWindow } from './window.ts'

export interface OpeningPage {
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

  const open = async (word: string, { tell }: OpeningPage) => {
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
    for (const word of given) void open(word, page)
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
      'native.lookAtFile': ({ handle }) => files.look(handle),
      'native.readFile': ({ handle, offset }) => files.read(handle, offset),
    },
    connect(connected) {
      page = connected
      // The first window shows itself once it has content.
      for (const word of waiting.splice(0)) void open(word, connected)
    },
  }
}
