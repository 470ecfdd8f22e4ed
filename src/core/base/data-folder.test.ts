import { statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { testDeps } from '../../../test/support/test-core.ts'
import { createCore } from '../app/app.ts'
import { createFileLog } from '../app/file-log.ts'
import {
  isReadOnly,
  logFolderOf,
  makeDataFolder,
  makeFolder,
  readOnly,
  resolveDataFolder,
} from './data-folder.ts'

describe('the data folder', () => {
  test('--data wins over COUNTERSIGN_DATA, which wins over the platform; both may be relative', () => {
    const env = { COUNTERSIGN_DATA: 'elsewhere' }
    expect(resolveDataFolder({ option: 'captures', env })).toBe(resolve('captures'))
    expect(resolveDataFolder({ env })).toBe(resolve('elsewhere'))
  })

  test.each([
    ['linux', {}, '/home/ada', '/home/ada/.local/share/Countersign'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/home/ada', '/data/Countersign'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada', '/home/ada/.local/share/Countersign'],
    ['linux', { COUNTERSIGN_DATA: '' }, '/home/ada', '/home/ada/.local/share/Countersign'],
    ['darwin', {}, '/Users/ada', '/Users/ada/Library/Application Support/Countersign'],
    [
      'win32',
      { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
      'C:\\Users\\ada',
      'C:\\Users\\ada\\AppData\\Roaming\\Countersign',
    ],
    ['win32', {}, 'C:\\Users\\ada', 'C:\\Users\\ada\\AppData\\Roaming\\Countersign'],
  ] as const)(
    'on %s with %o it is in the application-data folder',
    (platform, env, home, expected) => {
      expect(resolveDataFolder({ platform, env, home })).toBe(expected)
    },
  )
})

test('logs are in the data folder, except those of the default folder on a Mac', () => {
  const mac = { platform: 'darwin', env: {}, home: '/Users/ada' } as const
  expect(logFolderOf('/Users/ada/Library/Application Support/Countersign', mac)).toBe(
    '/Users/ada/Library/Logs/Countersign',
  )
  expect(logFolderOf('/captures', mac)).toBe(join('/captures', 'logs'))
  const linux = { platform: 'linux', env: {}, home: '/home/ada' } as const
  expect(logFolderOf(resolveDataFolder(linux), linux)).toBe(
    join('/home/ada/.local/share/Countersign', 'logs'),
  )
})

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
    `${file} is a file, not a folder. Choose another data folder with --data or COUNTERSIGN_DATA.`,
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
