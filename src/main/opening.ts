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

const forwardedSchema = z.object({ open: z.array(z.string()) })
/** Links and files of a second start, sent as data because Chromium reorders arguments. */
export type SecondStartData = z.infer<typeof forwardedSchema>

const MOST_WORDS = 10

/** Handles links and files. Call before the app is ready, when macOS sends its events. */
export function setupOpening(
  { app, dialog }: { readonly app: App; readonly dialog: Pick<Dialog, 'showOpenDialog'> },
  words: readonly string[],
  {
    window,
    tell,
  }: { readonly window: Pick<MainWindow, 'current' | 'show'>; readonly tell: SendToPage },
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
  const openAll = (openedWords: readonly string[]) => {
    // The first window shows itself once it has content.
    if (window.current() !== null) window.show()
    for (const word of openedWords.slice(0, MOST_WORDS)) void openWord(word)
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
