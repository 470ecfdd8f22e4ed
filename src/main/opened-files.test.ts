import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { OPENED_PIECE } from '../shared/contract/native.ts'
import { createOpenedFiles } from './opening.ts'

let folder: string
let files: ReturnType<typeof createOpenedFiles>
const place = (name: string) => join(folder, name)
const put = (name: string, content: string | Uint8Array) => {
  writeFileSync(place(name), content)
  return place(name)
}

beforeEach(() => {
  folder = temporaryFolder()
  files = createOpenedFiles()
})

describe('a file that the system opened', () => {
  test('is read by its handle, in pieces, byte for byte, and without its path', async () => {
    const bytes = new Uint8Array(OPENED_PIECE + 1_000).map((_, index) => index % 251)
    const opened = await files.add({ path: put('day.jsonl', bytes), kind: 'capture' })
    expect(opened).toMatchObject({ kind: 'capture', name: 'day.jsonl', size: bytes.length })
    expect(JSON.stringify(opened)).not.toContain(folder)
    const pieces: Buffer[] = []
    for (let offset = 0; offset < bytes.length; offset += OPENED_PIECE)
      pieces.push(Buffer.from((await files.read(opened.handle, offset)).base64, 'base64'))
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    expect(await files.read(opened.handle, bytes.length)).toEqual({ base64: '' })
  })

  test('is read again after an editor replaced it', async () => {
    const { handle, changedAt } = await files.add({ path: put('flow.json', '{}'), kind: 'flow' })
    renameSync(put('flow.json.new', '{"a":1}'), place('flow.json'))
    expect(await files.stat(handle)).toMatchObject({ size: 7 })
    expect((await files.stat(handle)).changedAt).toBeGreaterThanOrEqual(changedAt)
    expect(await files.read(handle, 0)).toEqual({
      base64: Buffer.from('{"a":1}').toString('base64'),
    })
  })

  test('stays readable until sixteen others were opened', async () => {
    const { handle } = await files.add({ path: put('flow.json', '{}'), kind: 'flow' })
    for (let count = 0; count < 15; count++)
      await files.add({ path: place('flow.json'), kind: 'flow' })
    await files.read(handle, 0)
    await files.add({ path: place('flow.json'), kind: 'flow' })
    await expect(files.read(handle, 0)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('not opened', () => {
  test('a missing file, a folder and a flow that is too large', async () => {
    await expect(files.add({ path: place('gone.json'), kind: 'flow' })).rejects.toThrow(
      "Couldn't open gone.json. It was moved or deleted.",
    )
    mkdirSync(place('folder.json'))
    await expect(files.add({ path: place('folder.json'), kind: 'flow' })).rejects.toThrow(
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
      execFileSync('mkfifo', [place('pipe.jsonl')])
      await expect(files.add({ path: place('pipe.jsonl'), kind: 'capture' })).rejects.toThrow(
        "It isn't a regular file.",
      )
      symlinkSync('/dev/zero', place('zero.jsonl'))
      await expect(files.add({ path: place('zero.jsonl'), kind: 'capture' })).rejects.toThrow(
        "It isn't a regular file.",
      )
    },
  )

  test.skipIf(process.platform === 'win32')(
    'a file replaced by a pipe after it was opened',
    async () => {
      const { handle } = await files.add({ path: put('flow.json', '{}'), kind: 'flow' })
      rmSync(place('flow.json'))
      execFileSync('mkfifo', [place('flow.json')])
      await expect(files.read(handle, 0)).rejects.toThrow("It isn't a regular file.")
    },
  )

  test('a handle that was never given', async () => {
    for (const handle of ['', '/etc/passwd', '../x', '00000000-0000-4000-8000-000000000000'])
      await expect(files.stat(handle)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
