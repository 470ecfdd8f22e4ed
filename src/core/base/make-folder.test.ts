import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { testDeps } from '../../../test/support/test-core.ts'
import { createCore } from '../app/create-core.ts'
import { createFileLog } from '../app/file-log.ts'
import { isReadOnly, makeDataFolder, makeFolder, readOnly } from './data-folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

test('a folder is created with its parents, for their owner only, and an existing one stays unchanged', () => {
  const deep = join(folder, 'a', 'b')
  makeFolder(deep)
  makeFolder(deep)
  makeFolder(folder)
  const made = [join(folder, 'a'), deep].map((path) => statSync(path))
  expect(made.map((each) => each.isDirectory())).toEqual([true, true])
  if (process.platform !== 'win32')
    expect(made.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o700])
})

test("a file in its place, or in a parent's, is an error", () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(() => {
    makeFolder(file)
  }).toThrow('EEXIST')
  expect(() => {
    makeDataFolder(join(file, 'data'))
  }).toThrow(
    /^Can't create the data folder .*: EEXIST: .*\. Choose a folder with --data or COUNTERSIGN_DATA\.$/,
  )
})

test.each(['EACCES', 'EPERM', 'EROFS', 'SQLITE_READONLY', 'SQLITE_READONLY_DIRECTORY'])(
  '%s means read-only, and becomes a sentence without the code',
  (code) => {
    expect(isReadOnly(Object.assign(new Error(`${code}: no`), { code }))).toBe(true)
    expect(readOnly('/data', null).message).toBe(
      "Can't write to /data. Make it writable for your user, or choose a folder with --data or COUNTERSIGN_DATA.",
    )
  },
)

test('other errors keep their reason', () => {
  expect(isReadOnly(Object.assign(new Error('ENOSPC: no'), { code: 'ENOSPC' }))).toBe(false)
  expect(isReadOnly(new Error('no'))).toBe(false)
})

test.runIf(process.platform === 'linux')(
  "if the system creates none, a core and its log don't loop forever",
  async () => {
    const dataFolder = '/proc/nope/deep'
    await expect(createCore(testDeps(dataFolder), { serve: null })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    const log = createFileLog({
      dataFolder: '/proc/self',
      randomBytes: (count) => new Uint8Array(count),
    })
    expect(log.bug(new Error('no'), 'somewhere')).toBe('00000000')
  },
)
