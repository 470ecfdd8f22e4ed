import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { logFolderOf, resolveDataFolder } from './data-folder.ts'

describe('the data folder', () => {
  test('--data wins over COUNTERSIGN_DATA and is relative to the current folder', () => {
    expect(resolveDataFolder({ option: 'captures', env: { COUNTERSIGN_DATA: '/elsewhere' } })).toBe(
      resolve('captures'),
    )
  })

  test('COUNTERSIGN_DATA wins over the platform', () => {
    expect(resolveDataFolder({ env: { COUNTERSIGN_DATA: '/elsewhere' } })).toBe(
      resolve('/elsewhere'),
    )
  })

  test.each([
    ['linux', {}, '/home/ada', '/home/ada/.local/share/Countersign'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/home/ada', '/data/Countersign'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada', '/home/ada/.local/share/Countersign'],
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

  test('an empty variable counts as not set', () => {
    expect(
      resolveDataFolder({ env: { COUNTERSIGN_DATA: '' }, platform: 'linux', home: '/home/ada' }),
    ).toBe('/home/ada/.local/share/Countersign')
  })
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
