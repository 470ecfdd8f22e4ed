import { execFileSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { FILE_CHUNK_BYTES } from '../shared/contract/native.ts'
import { setupOpening } from './link-and-file-opener.ts'
import { createOpenedFiles } from './opened-files.ts'
import { CHOSEN_EXTENSIONS } from '../shared/model/file-kind.ts'

const link = 'countersign://delivery/01939f5e-7c1a-7b7e-9d0c-6f6f2a9b1c3d'

let folder: string
let files: ReturnType<typeof createOpenedFiles>
let app: EventEmitter & { isPackaged: boolean; setAsDefaultProtocolClient(): void }
let reported: [event: string, payload: object][]
let shown: number
let asked: { readonly options: object; answer(...paths: string[]): void }[]
let handlers: ReturnType<typeof setupOpening>
let isOpen: boolean

const put = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const start = (...words: string[]) => {
  const dialog = {
    showOpenDialog: (_window: object, options: object) =>
      new Promise((resolve) => {
        asked.push({
          options,
          answer: (...filePaths) => {
            resolve({ canceled: filePaths.length === 0, filePaths })
          },
        })
      }),
  }
  const window = { current: () => (isOpen ? {} : null), show: () => (shown += 1) }
  const sendToPage = (event: string, payload: object) => reported.push([event, payload])
  const given = [{ app, dialog }, words, { window, sendToPage }]
  handlers = setupOpening(...(given as unknown as Parameters<typeof setupOpening>))
}
const prevented = vi.fn()
/** Returns an event of macOS. */
const system = (event: 'open-file' | 'open-url', value: string) =>
  app.emit(event, { preventDefault: prevented }, value)

beforeEach(() => {
  folder = temporaryFolder()
  files = createOpenedFiles()
  app = Object.assign(new EventEmitter(), {
    isPackaged: false,
    setAsDefaultProtocolClient: () => undefined,
  })
  reported = []
  isOpen = false
  shown = 0
  asked = []
  prevented.mockClear()
})

describe('what the system hands to the app', () => {
  test("macOS's files and links open, and those from after the first window show it", async () => {
    start()
    system('open-file', put('day.jsonl', 'x'))
    system('open-url', link)
    await expect.poll(() => reported).toHaveLength(2)
    expect(reported).toContainEqual(['native.showDelivery', { deliveryId: link.slice(-36) }])
    expect(reported).toContainEqual([
      'native.openFile',
      expect.objectContaining({ kind: 'capture', name: 'day.jsonl', size: 1 }),
    ])
    expect(shown).toBe(0)

    isOpen = true
    system('open-file', put('coffee.json', '{}'))
    await expect
      .poll(() => reported.at(-1))
      .toMatchObject(['native.openFile', { kind: 'flow', name: 'coffee.json' }])
    system('open-url', 'countersign://delivery/../x')
    expect(reported.at(-1)).toMatchObject([
      'native.problem',
      { message: expect.stringContaining('This one was ignored.') },
    ])
    expect(shown).toBe(2)
    expect(prevented).toHaveBeenCalledTimes(4)
    expect(JSON.stringify(reported)).not.toContain(folder)
  })

  test('arguments open in the first window; those of a second start, and a start without any, show it', async () => {
    start(link)
    isOpen = true
    expect(reported).toHaveLength(1)
    app.emit('second-instance', {}, [], folder, {
      open: [join(folder, 'gone.jsonl'), join(folder, 'day.har')],
    })
    await expect.poll(() => reported).toHaveLength(3)
    expect(reported[1]).toMatchObject([
      'native.problem',
      { message: expect.stringContaining('(.har)') },
    ])
    expect(reported[2]).toMatchObject([
      'native.problem',
      { message: "Couldn't open gone.jsonl. It was moved or deleted." },
    ])
    expect(shown).toBe(1)
    for (const data of [null, undefined, 'x', {}, { open: 'x' }, { open: [1] }])
      app.emit('second-instance', {}, [], folder, data)
    await delay(0)
    expect([reported.length, shown]).toEqual([3, 7])
    app.emit('second-instance', {}, [], folder, { open: Array(30).fill('x') })
    expect(reported).toHaveLength(13)
  })
})

describe("the system's dialog to open a file", () => {
  const choose = (kind: 'capture' | 'flow' | 'certificate') =>
    handlers['native.chooseFile']({ kind })

  test('offers the extensions of its kind, and all files', async () => {
    start()
    isOpen = true
    const chosen = choose('capture')
    expect(asked[0]?.options).toEqual({
      title: 'Import deliveries',
      message: 'Import deliveries',
      properties: ['openFile'],
      filters: [
        { name: 'Exported deliveries', extensions: [...CHOSEN_EXTENSIONS.capture] },
        { name: 'All files', extensions: ['*'] },
      ],
    })
    asked[0]?.answer()
    await chosen
  })

  test('gives the page a handle, and null if the user cancels', async () => {
    start()
    expect(await choose('flow'), 'before there is a window').toEqual({ file: null })
    isOpen = true
    const chosen = choose('certificate')
    asked[0]?.answer(put('ca.pem', 'PEM'))
    const { file } = await chosen
    expect(file).toMatchObject({ kind: 'certificate', name: 'ca.pem', size: 3 })
    expect(JSON.stringify(file)).not.toContain(folder)
    const { handle = '' } = file ?? {}
    expect(await handlers['native.readFile']({ handle, offset: 0 })).toEqual({
      base64: Buffer.from('PEM').toString('base64'),
    })
    const cancelled = choose('capture')
    asked[1]?.answer()
    expect(await cancelled).toEqual({ file: null })
  })

  test('refuses a file that is too large for its kind, and asks again afterwards', async () => {
    start()
    isOpen = true
    const large = choose('certificate')
    asked[0]?.answer(put('video.pem', 'x'.repeat(262_145)))
    await expect(large).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('256 KiB'),
    })
    const again = choose('flow')
    asked[1]?.answer()
    expect(await again).toEqual({ file: null })
  })

  test('is open only once', async () => {
    start()
    isOpen = true
    const first = choose('flow')
    expect(await choose('flow')).toEqual({ file: null })
    expect(asked).toHaveLength(1)
    asked[0]?.answer(put('coffee.json', '{}'))
    expect((await first).file).toMatchObject({ name: 'coffee.json' })
  })
})

describe('a file that the system opened', () => {
  test('is read by its handle, in pieces, byte for byte, and without its path', async () => {
    const bytes = new Uint8Array(FILE_CHUNK_BYTES + 1_000).map((_, index) => index % 251)
    const opened = await files.add({ path: put('day.jsonl', bytes), kind: 'capture' })
    expect(opened).toMatchObject({ kind: 'capture', name: 'day.jsonl', size: bytes.length })
    expect(JSON.stringify(opened)).not.toContain(folder)
    const pieces: Buffer[] = []
    for (let offset = 0; offset < bytes.length; offset += FILE_CHUNK_BYTES)
      pieces.push(Buffer.from((await files.read(opened.handle, offset)).base64, 'base64'))
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    expect(await files.read(opened.handle, bytes.length)).toEqual({ base64: '' })
  })

  test('is read again after an editor replaced it', async () => {
    const { handle, changedAt } = await files.add({ path: put('flow.json', '{}'), kind: 'flow' })
    renameSync(put('flow.json.new', '{"a":1}'), join(folder, 'flow.json'))
    expect(await files.stat(handle)).toMatchObject({ size: 7 })
    expect((await files.stat(handle)).changedAt).toBeGreaterThanOrEqual(changedAt)
    expect(await files.read(handle, 0)).toEqual({
      base64: Buffer.from('{"a":1}').toString('base64'),
    })
  })

  test('stays readable until sixteen others were opened', async () => {
    const { handle } = await files.add({ path: put('flow.json', '{}'), kind: 'flow' })
    for (let count = 0; count < 15; count++)
      await files.add({ path: join(folder, 'flow.json'), kind: 'flow' })
    await files.read(handle, 0)
    await files.add({ path: join(folder, 'flow.json'), kind: 'flow' })
    await expect(files.read(handle, 0)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('a file is not opened', () => {
  test('a missing file, a folder and a flow that is too large', async () => {
    await expect(files.add({ path: join(folder, 'gone.json'), kind: 'flow' })).rejects.toThrow(
      "Couldn't open gone.json. It was moved or deleted.",
    )
    mkdirSync(join(folder, 'folder.json'))
    await expect(files.add({ path: join(folder, 'folder.json'), kind: 'flow' })).rejects.toThrow(
      /Couldn't open folder\.json\. It/,
    )
    const large = put('large.json', '')
    truncateSync(large, 1_048_577)
    await expect(files.add({ path: large, kind: 'flow' })).rejects.toThrow(
      'larger than 1 MiB. Split the flow',
    )
  })

  test('a capture that is too large', async () => {
    const large = put('large.jsonl', '')
    try {
      truncateSync(large, 8 * 1_073_741_824 + 1)
    } catch {
      // The file system has no sparse files of this size.
      return
    }
    await expect(files.add({ path: large, kind: 'capture' })).rejects.toThrow('countersign import')
  })

  test.skipIf(process.platform === 'win32')(
    'a pipe or a device, which could wait or never end',
    async () => {
      execFileSync('mkfifo', [join(folder, 'pipe.jsonl')])
      await expect(
        files.add({ path: join(folder, 'pipe.jsonl'), kind: 'capture' }),
      ).rejects.toThrow("It isn't a regular file.")
      symlinkSync('/dev/zero', join(folder, 'zero.jsonl'))
      await expect(
        files.add({ path: join(folder, 'zero.jsonl'), kind: 'capture' }),
      ).rejects.toThrow("It isn't a regular file.")
    },
  )

  test.skipIf(process.platform === 'win32')(
    'a file replaced by a pipe after it was opened',
    async () => {
      const { handle } = await files.add({ path: put('flow.json', '{}'), kind: 'flow' })
      rmSync(join(folder, 'flow.json'))
      execFileSync('mkfifo', [join(folder, 'flow.json')])
      await expect(files.read(handle, 0)).rejects.toThrow("It isn't a regular file.")
    },
  )

  test('a handle that was never given', async () => {
    for (const handle of ['', '/etc/passwd', '../x', '00000000-0000-4000-8000-000000000000'])
      await expect(files.stat(handle)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
