import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { setupOpening } from './opening.ts'

const link = 'countersign://delivery/01939f5e-7c1a-7b7e-9d0c-6f6f2a9b1c3d'

let folder: string
let app: EventEmitter & { isPackaged: boolean; setAsDefaultProtocolClient(): void }
/** What the page hears, in order. */
let reported: [event: string, payload: object][]
let shown: number
let asked: { readonly options: object; answer(...paths: string[]): void }[]
let handlers: ReturnType<typeof setupOpening>
let isOpen: boolean

const put = (name: string, content: string) => {
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
  const tell = (event: string, payload: object) => reported.push([event, payload])
  const given = [{ app, dialog }, words, { window, tell }]
  handlers = setupOpening(...(given as unknown as Parameters<typeof setupOpening>))
}
const prevented = vi.fn()
/** What macOS sends. */
const system = (event: 'open-file' | 'open-url', value: string) =>
  app.emit(event, { preventDefault: prevented }, value)

beforeEach(() => {
  folder = temporaryFolder()
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
      { message: expect.stringContaining('This one was ignored.') as string },
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
      { message: expect.stringContaining('(.har)') as string },
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
        { name: 'Exported deliveries', extensions: ['jsonl', 'ndjson'] },
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
      message: expect.stringContaining('256 KiB') as string,
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
