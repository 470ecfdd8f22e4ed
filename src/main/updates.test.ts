import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import type { UpdateState } from '../shared/contract/native.ts'
import { createUpdateMemory, createUpdates, type Install, whyNoUpdates } from './updates.ts'

const linux: Install = {
  isPackaged: true,
  platform: 'linux',
  program: '/tmp/.mount_Counter/countersign',
  env: { APPIMAGE: '/home/me/apps/Countersign.AppImage' },
  packageType: null,
  hasSource: true,
  exists: () => true,
  canWrite: () => true,
}
const windows: Install = {
  ...linux,
  platform: 'win32',
  program: String.raw`C:\Users\me\AppData\Local\Programs\Countersign\Countersign.exe`,
  env: {},
}
const mac: Install = {
  ...linux,
  platform: 'darwin',
  program: '/Applications/Countersign.app/Contents/MacOS/Countersign',
  env: {},
}

test.each<[string, Install, RegExp | null]>([
  ['an AppImage', linux, null],
  [
    'an AppImage in a folder of root',
    { ...linux, canWrite: (folder) => folder !== '/home/me/apps' },
    /can't write to \/home\/me\/apps\./,
  ],
  [
    'a deb',
    { ...linux, env: {}, packageType: 'deb' },
    /installed as a deb package\. Your package manager updates it/,
  ],
  [
    'a deb of a build without a source',
    { ...linux, env: {}, packageType: 'deb', hasSource: false },
    /deb package/,
  ],
  ['a snap', { ...linux, env: { SNAP: '/snap/x' } }, /Snap package/],
  ['a Flatpak', { ...linux, env: { FLATPAK_ID: 'x' } }, /Flatpak package/],
  ['an unpacked tar.gz', { ...linux, env: {} }, /unpacked from an archive/],
  ['Windows, installed', windows, null],
  [
    'Windows, unpacked',
    { ...windows, exists: (path) => !path.endsWith(String.raw`\Uninstall Countersign.exe`) },
    /unpacked/,
  ],
  [
    'Windows, for all users',
    { ...windows, canWrite: () => false },
    /can't write to C:\\Users\\me\\AppData\\Local\\Programs\\Countersign\./,
  ],
  ['a Mac', mac, null],
  [
    'a Mac, from the disk image',
    { ...mac, canWrite: (folder) => folder !== '/Applications' },
    /can't write to \/Applications\. Move it/,
  ],
  ['a development build', { ...linux, isPackaged: false }, /development build/],
  [
    'a build without a source',
    { ...linux, hasSource: false },
    /no update source\. Get new versions from where you got this one/,
  ],
  ['a build without a source, on Windows', { ...windows, hasSource: false }, /no update source/],
])('who may update: %s', (_, install, reason) => {
  const answer = whyNoUpdates(install)
  if (reason === null) expect(answer).toBeNull()
  else expect(answer).toMatch(reason)
})

function stage(off: string | null = null) {
  const states: UpdateState[] = []
  let loads = 0
  const updates = createUpdates({
    version: '0.1.0',
    off,
    loadEngine: () => {
      loads++
      return Promise.reject(new Error('no engine here'))
    },
    log: { info: () => undefined, warn: () => undefined, bug: () => 'REF' },
    changed: (state) => void states.push(state),
    quit: () => undefined,
    showError: () => undefined,
  })
  return { updates, states, loads: () => loads }
}

test('an install that may not update loads nothing and says where updates come from', async () => {
  const { updates, states, loads } = stage('Installed as a deb package.')
  for (const action of ['look', 'check', 'download', 'cancel', 'restart'] as const)
    expect(await updates.act({ action })).toEqual({
      phase: 'off',
      reason: 'Installed as a deb package.',
    })
  updates.finish(true)
  expect([states, loads()]).toEqual([[], 0])
})

test('nothing is loaded before the first check, and only a check loads it', async () => {
  const { updates, loads } = stage()
  for (const action of ['look', 'download', 'cancel', 'restart'] as const)
    expect(await updates.act({ action })).toEqual({ phase: 'idle' })
  expect(loads()).toBe(0)
})

test('the daily check runs once a day, and its failure is not shown', async () => {
  const memory = createUpdateMemory(join(temporaryFolder(), 'updates.json'))
  const { updates, states, loads } = stage()
  const hour = 3_600_000
  const start = Date.UTC(2026, 10, 23)
  for (const hours of [0, 1, 23, 24, 30]) await updates.checkDaily(memory, start + hours * hour)
  expect(loads()).toBe(2)
  expect(states.filter(({ phase }) => phase === 'failed')).toEqual([])
  expect(states.at(-1)).toEqual({ phase: 'idle' })
  // The clock was set back.
  await updates.checkDaily(memory, start - 48 * hour)
  expect(loads()).toBe(3)
})

test('the memory survives a restart, and a damaged file counts as empty', () => {
  const file = join(temporaryFolder(), 'updates.json')
  createUpdateMemory(file).set({ newest: 5 })
  createUpdateMemory(file).set({ checkedAt: 7 })
  expect(createUpdateMemory(file).get()).toEqual({ newest: 5, checkedAt: 7 })
  writeFileSync(file, '{"newest":')
  expect(createUpdateMemory(file).get()).toEqual({ newest: null, checkedAt: null })
})
