import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import type { UpdateState } from '../shared/contract/native.ts'
import { isSignedApp, type Updater, Updates, updatesOffReason } from './updates.ts'

test('only a packaged app with an update source checks for updates', () => {
  const resources = temporaryFolder()
  expect(updatesOffReason({ isPackaged: false, resources })).toMatch(/development build/)
  expect(updatesOffReason({ isPackaged: true, resources })).toMatch(/no update source/)
  mkdirSync(resources, { recursive: true })
  writeFileSync(join(resources, 'app-update.yml'), 'provider: generic\n')
  expect(updatesOffReason({ isPackaged: true, resources })).toBeNull()
})

test('an app counts as signed only if packaging noted it', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'package.json')
  for (const [text, isSigned] of [
    ['{}', false],
    ['{"isSigned":false}', false],
    ['{"isSigned":true}', true],
  ] as const) {
    writeFileSync(file, text)
    expect(isSignedApp(folder)).toBe(isSigned)
  }
})

function stage(
  updater: Partial<Updater> = {},
  { off = null, page = null }: { readonly off?: string | null; readonly page?: string | null } = {},
) {
  const states: UpdateState[] = []
  const warnings: unknown[] = []
  const quit = vi.fn()
  const loadUpdater = vi.fn(() =>
    Promise.resolve<Updater>({
      checkForUpdates: () =>
        Promise.resolve({ isUpdateAvailable: true, updateInfo: { version: '2.0.0' } }),
      downloadUpdate: () => Promise.resolve(),
      quitAndInstall: () => undefined,
      on: () => undefined,
      ...updater,
    }),
  )
  const updates = new Updates({
    off,
    page,
    loadUpdater,
    log: { info: () => undefined, warn: (...line) => warnings.push(line), bug: () => 'REF' },
    changed: (state) => states.push(state),
    quit,
  })
  const until = async (phase: UpdateState['phase']) => {
    await expect.poll(() => states.at(-1)?.phase).toBe(phase)
  }
  return { updates, states, warnings, quit, loadUpdater, until }
}

test('a copy that may not check loads nothing and says where updates come from', async () => {
  const { updates, states, loadUpdater } = stage({}, { off: 'No update source.' })
  for (const action of ['look', 'check', 'download', 'restart'] as const)
    expect(await updates.act({ action })).toEqual({ phase: 'off', reason: 'No update source.' })
  await updates.checkQuietly()
  updates.finish()
  expect([states, loadUpdater.mock.calls]).toEqual([[], []])
})

test('nothing is loaded before the first check', async () => {
  const { updates, loadUpdater } = stage()
  for (const action of ['look', 'download', 'restart'] as const)
    expect(await updates.act({ action })).toEqual({ phase: 'idle' })
  expect(loadUpdater).not.toHaveBeenCalled()
})

test('a signed app is downloaded, and replaced after the core has closed, each only when the user asks', async () => {
  const installs: unknown[] = []
  const { updates, states, quit, until } = stage({
    on: (_, listener) => {
      listener({ percent: 41.7 })
    },
    quitAndInstall: (...how) => installs.push(how),
  })
  await updates.act({ action: 'check' })
  await until('available')
  expect(states.at(-1)).toEqual({ phase: 'available', version: '2.0.0', page: null })
  await updates.act({ action: 'download' })
  await until('ready')
  updates.finish()
  expect([installs, quit.mock.calls]).toEqual([[], []])
  expect(await updates.act({ action: 'restart' })).toEqual({
    phase: 'restarting',
    version: '2.0.0',
  })
  expect([installs, quit.mock.calls]).toEqual([[], [[]]])
  updates.finish()
  expect(installs).toEqual([[true, true]])
})

test('the progress is shown in whole percent', async () => {
  let report: (progress: { readonly percent: number }) => void = () => undefined
  const { updates, states, until } = stage({
    on: (_, listener) => {
      report = listener
    },
    downloadUpdate: () => new Promise(() => undefined),
  })
  await updates.act({ action: 'check' })
  await until('available')
  await updates.act({ action: 'download' })
  report({ percent: 41.7 })
  expect(states.at(-1)).toEqual({ phase: 'downloading', version: '2.0.0', percent: 41 })
})

test('any other app only learns where the new version is', async () => {
  const downloadUpdate = vi.fn(() => Promise.resolve())
  const { updates, until } = stage({ downloadUpdate }, { page: 'https://countersign.example' })
  await updates.act({ action: 'check' })
  await until('available')
  expect(await updates.act({ action: 'download' })).toEqual({
    phase: 'available',
    version: '2.0.0',
    page: 'https://countersign.example',
  })
  expect(downloadUpdate).not.toHaveBeenCalled()
})

test('the newest version, and a copy from an archive', async () => {
  const results = [{ isUpdateAvailable: false, updateInfo: { version: '1.0.0' } }, null]
  const { updates, states, until } = stage({
    checkForUpdates: () => Promise.resolve(results.shift() ?? null),
  })
  await updates.act({ action: 'check' })
  await until('current')
  await updates.act({ action: 'check' })
  await until('off')
  expect(states.at(-1)).toMatchObject({ reason: expect.stringContaining('unpacked') })
})

test('a failure is shown and logged, and the user can try again', async () => {
  const broken = () => Promise.reject(new Error('net::ERR_FAILED'))
  const failing = stage({ checkForUpdates: broken })
  await failing.updates.act({ action: 'check' })
  await failing.until('failed')
  expect(failing.warnings).toEqual([
    ["Couldn't check for updates.", { reason: 'Error: net::ERR_FAILED' }],
  ])
  expect(await failing.updates.act({ action: 'check' })).toEqual({ phase: 'checking' })

  const refused = stage({ downloadUpdate: broken })
  await refused.updates.act({ action: 'check' })
  await refused.until('available')
  await refused.updates.act({ action: 'download' })
  await refused.until('failed')
  expect(refused.states.at(-1)).toMatchObject({ title: "Couldn't download the update" })
})

test('a check that nobody waits for shows only a found update', async () => {
  const answers = [
    () => Promise.reject(new Error('offline')),
    () => Promise.resolve({ isUpdateAvailable: true, updateInfo: { version: '2.0.0' } }),
  ]
  const { updates, states, warnings } = stage({
    checkForUpdates: () => answers.shift()?.() ?? Promise.resolve(null),
  })
  await updates.checkQuietly()
  expect(states.at(-1)).toEqual({ phase: 'idle' })
  expect(warnings).toHaveLength(1)
  await updates.checkQuietly()
  expect(states.at(-1)).toMatchObject({ phase: 'available', version: '2.0.0' })
})
