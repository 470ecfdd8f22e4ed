/** Opens links and files from arguments, a second start, macOS's events, or a dialog. */
import type { App, Dialog } from 'electron'
import { z } from 'zod'
import { AppError } from '../shared/contract/errors.ts'
import { CHOSEN_EXTENSIONS } from '../shared/model/file-kind.ts'
import type { NativeHandlers } from '../shared/rpc/router.ts'
import type { SendToPage } from './ipc-transport.ts'
import type { MainWindow } from './window.ts'
import { fileKindRules } from './file-kinds.ts'
import { createOpenedFiles } from './opened-files.ts'
import { readOpenRequest, LINK_SCHEME } from './open-requests.ts'

const secondStartSchema = z.object({ open: z.array(z.string()) })
/** Links and files of a second start, sent as data because Chromium reorders arguments. */
export type SecondStartData = z.infer<typeof secondStartSchema>

const MOST_OPENED = 10

/** Handles links and files. Call before the app is ready, when macOS sends its events. */
export function setupOpening(
  { app, dialog }: { readonly app: App; readonly dialog: Pick<Dialog, 'showOpenDialog'> },
  toOpen: readonly string[],
  {
    window,
    sendToPage,
  }: { readonly window: Pick<MainWindow, 'current' | 'show'>; readonly sendToPage: SendToPage },
): Pick<NativeHandlers, 'native.chooseFile' | 'native.lookAtFile' | 'native.readFile'> {
  const files = createOpenedFiles()
  let isChoosing = false

  const openOne = async (linkOrFile: string) => {
    const request = readOpenRequest(linkOrFile)
    if ('deliveryId' in request) sendToPage('native.showDelivery', request)
    else if ('message' in request)
      sendToPage('native.problem', { title: "Couldn't open it", ...request })
    else
      try {
        sendToPage('native.openFile', await files.add(request))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        sendToPage('native.problem', { title: "Couldn't open the file", message: error.message })
      }
  }
  const openAll = (linksAndFiles: readonly string[]) => {
    // The first window shows itself once it has content.
    if (window.current() !== null) window.show()
    for (const linkOrFile of linksAndFiles.slice(0, MOST_OPENED)) void openOne(linkOrFile)
  }

  openAll(toOpen)
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
    openAll(secondStartSchema.safeParse(data).data?.open ?? []),
  )
  // A checkout would register the bare Electron binary.
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME)

  return {
    async 'native.chooseFile'({ kind }) {
      const owner = window.current()
      // A page that keeps asking must not cover the screen.
      if (owner === null || isChoosing) return { file: null }
      isChoosing = true
      const { title, type } = fileKindRules[kind]
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
