import { expect, test, vi } from 'vitest'
import { openWindow } from '../../../test/browser/open-window.ts'
import { createAnsweredClient } from '../../../test/support/asked-client.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { NO_CAPABILITIES, FILE_CHUNK_BYTES } from '../../shared/contract/native.ts'
import { acceptedExtensions, browserFile, fileText, fileOfHandle } from './user-file.ts'

const tooLarge = new Error('too large')

test('a file is chosen with the dialog of the desktop, and read by its handle in pieces', async () => {
  vi.stubGlobal('location', { hash: '' })
  const handle = '0b5d2c1e-6c0f-4c6a-9a50-0f0a2a6d9a11'
  const { client } = createAnsweredClient((command, input) => {
    if (command === 'native.lookAtFile') return { size: 1, changedAt: 6 }
    if (command === 'native.readFile')
      return {
        base64: btoa(input['offset'] === 0 ? 'a'.repeat(FILE_CHUNK_BYTES) : JSON.stringify(input)),
      }
    const { kind } = input
    return {
      file:
        kind === 'flow'
          ? { handle, kind, name: 'a.json', size: FILE_CHUNK_BYTES + 1, changedAt: 5 }
          : null,
    }
  })
  const { notify, state } = openWindow(client, { ...NO_CAPABILITIES, desktop: true })
  const { files } = state()
  const file = await files.choose?.('flow')
  expect(file).toMatchObject({ name: 'a.json', size: FILE_CHUNK_BYTES + 1 })
  expect((await fileText(file!, 2 * FILE_CHUNK_BYTES, tooLarge)).replace(/a+/, '')).toBe(
    JSON.stringify({ handle, offset: FILE_CHUNK_BYTES }),
  )
  expect(await file?.changedAt?.()).toBe(6)
  expect(await files.choose?.('capture')).toBeNull()

  files.notOpened(new AppError('INVALID_INPUT', 'It is a folder.'))
  expect(notify).toHaveBeenCalledWith({
    tone: 'bad',
    title: "Couldn't open the file",
    message: 'It is a folder.',
  })
  expect(openWindow(client).state().files.choose).toBeNull()
  expect(acceptedExtensions('capture')).toBe('.jsonl,.ndjson,.age,.har,.json,.http,.eml,.log,.txt')
})

test('a file with a handle is read as it is now, also if it was too large before', async () => {
  let content = 'x'.repeat(11)
  const file = await fileOfHandle({
    getFile: () => Promise.resolve(new File([content], 'a.json', { lastModified: 7 })),
  })
  await expect(fileText(file, 10, tooLarge)).rejects.toBe(tooLarge)
  content = 'short'
  expect(await fileText(file, 10, tooLarge)).toBe('short')
  expect(await file.changedAt?.()).toBe(7)
  expect(browserFile(new File(['x'], 'a.json')).changedAt).toBeNull()
})
