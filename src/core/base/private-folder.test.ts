import { chmodSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { privateFolder } from './private-folder.ts'

const systems = process.platform !== 'win32'
const OTHER_USER = 4002

let home: string
beforeEach(() => {
  home = temporaryFolder()
})
const onLinux = (env = {}) => privateFolder('x', { home, env, platform: 'linux' })

test('a folder is made where the platform keeps caches, for the user only', () => {
  const before = process.umask(0)
  try {
    for (const [platform, env, inHome] of [
      ['linux', {}, '.cache/countersign/x'],
      ['linux', { XDG_CACHE_HOME: 'relative' }, '.cache/countersign/x'],
      ['linux', { XDG_CACHE_HOME: join(home, 'c') }, 'c/countersign/x'],
      ['win32', { LOCALAPPDATA: join(home, 'l') }, 'l/countersign/x'],
    ] as const) {
      const folder = join(home, inHome)
      expect(privateFolder('x', { home, env, platform })).toBe(folder)
      if (systems) expect(statSync(folder).mode & 0o777).toBe(0o700)
      expect(privateFolder('x', { home, env, platform })).toBe(folder)
    }
    expect(privateFolder('x', { home, env: {}, platform: 'darwin' })).toBe(null)
    mkdirSync(join(home, 'Library', 'Caches'), { recursive: true, mode: 0o700 })
    chmodSync(join(home, 'Library'), 0o755)
  } finally {
    process.umask(before)
  }
  expect(privateFolder('x', { home, env: {}, platform: 'darwin' })).toBe(
    join(home, 'Library/Caches/countersign/x'),
  )
})

test.each(['', 'relative', '/dev/null', '/proc/nowhere'])(
  'no folder is made in the home %j',
  (path) => {
    expect(privateFolder('x', { home: path, env: {}, platform: 'linux' })).toBe(null)
  },
)

test.runIf(systems)(
  'a folder is made where everybody may write, but only if nobody can replace it',
  () => {
    chmodSync(home, 0o1777)
    expect(onLinux()).toBe(join(home, '.cache/countersign/x'))
    chmodSync(home, 0o777)
    expect(onLinux()).toBe(null)
  },
)

test.runIf(systems)('a linked cache is used by its real path', () => {
  mkdirSync(join(home, 'real/countersign'), { recursive: true, mode: 0o755 })
  symlinkSync(join(home, 'real'), join(home, '.cache'))
  expect(onLinux()).toBe(join(home, 'real/countersign/x'))
})

test.runIf(systems).each([
  ['a link', (path: string) => symlinkSync(home, path)],
  ['a link to nothing', (path: string) => symlinkSync(join(home, 'nothing'), path)],
  ['a file', (path: string) => writeFileSync(path, '')],
  ['writable by all', (path: string) => made(path, 0o777)],
  ['writable by the group', (path: string) => made(path, 0o770)],
])('it is never %s, nor in one', (_, plant) => {
  for (const below of ['.cache/countersign', '.cache/countersign/x']) {
    home = temporaryFolder()
    mkdirSync(join(home, below, '..'), { recursive: true, mode: 0o700 })
    plant(join(home, below))
    expect(onLinux()).toBe(null)
  }
})

test.runIf(process.getuid?.() === 0)("it is never another user's, nor in one", () => {
  const folder = onLinux()
  if (folder === null) throw new Error('none')
  for (const path of ['', '.cache', '.cache/countersign', '.cache/countersign/x']) {
    lchownSync(join(home, path), OTHER_USER, OTHER_USER)
    expect(onLinux()).toBe(null)
    lchownSync(join(home, path), 0, 0)
  }
  expect(onLinux()).toBe(folder)
})

function made(path: string, mode: number): void {
  mkdirSync(path)
  chmodSync(path, mode)
}
