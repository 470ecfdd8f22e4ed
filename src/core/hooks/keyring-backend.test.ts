import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import {
  deleteKeyringKey,
  openKeyringBackend as openBackend,
  type KeyringEntry,
  type OpenKeyringEntry,
} from './keyring-backend.ts'

const openKeyringBackend = (folder: string, openEntry: OpenKeyringEntry, patienceMs = 1_000) =>
  openBackend(folder, { patienceMs, openEntry })

function keyring(): {
  entries: Map<string, string>
  open: OpenKeyringEntry
} {
  const entries = new Map<string, string>()
  return {
    entries,
    open: (account) =>
      Promise.resolve({
        getPassword: () => Promise.resolve(entries.get(account) ?? null),
        setPassword: (password) => {
          entries.set(account, password)
          return Promise.resolve()
        },
        deletePassword: () => Promise.resolve(entries.delete(account)),
      }),
  }
}

describe('the keyring backend', () => {
  it('opens secrets after a restart and keeps one key per data folder', async () => {
    const { entries, open } = keyring()
    const sealed = await (await openKeyringBackend('/data/one', open))!.seal('whsec_öne')
    expect(await (await openKeyringBackend('/data/one', open))!.open(sealed)).toBe('whsec_öne')
    await expect((await openKeyringBackend('/data/two', open))!.open(sealed)).rejects.toThrow()
    expect(entries.size).toBe(2)
    expect(Buffer.from(sealed).includes('whsec_öne')).toBe(false)
  })

  it('is unavailable if the keyring refuses, forgets or contains something else', async () => {
    const refusing: KeyringEntry = {
      getPassword: () => Promise.reject(new Error('locked')),
      setPassword: () => Promise.reject(new Error('locked')),
      deletePassword: () => Promise.reject(new Error('locked')),
    }
    const forgetting: KeyringEntry = {
      getPassword: () => Promise.resolve(null),
      setPassword: () => Promise.resolve(),
      deletePassword: () => Promise.resolve(false),
    }
    const foreign: KeyringEntry = { ...forgetting, getPassword: () => Promise.resolve('short') }
    for (const entry of [refusing, forgetting, foreign]) {
      expect(await openKeyringBackend('/data/one', () => Promise.resolve(entry))).toBeNull()
    }
  })

  it("doesn't wait for a keyring that ignores the signal to stop", async () => {
    const silent: KeyringEntry = {
      getPassword: () => new Promise(() => undefined),
      setPassword: () => new Promise(() => undefined),
      deletePassword: () => new Promise(() => undefined),
    }
    expect(await openKeyringBackend('/data/one', () => Promise.resolve(silent), 10)).toBeNull()
  })

  it('keeps one key per folder, however its path is written', async () => {
    const folder = temporaryFolder()
    const link = join(temporaryFolder(), 'link')
    symlinkSync(folder, link, 'junction')
    const { entries, open } = keyring()
    const sealed = await (await openKeyringBackend(folder, open))!.seal('whsec')
    for (const spelling of [link, `${folder}/`])
      expect(await (await openKeyringBackend(spelling, open))!.open(sealed)).toBe('whsec')
    expect(entries.size).toBe(1)
    await deleteKeyringKey(link, { patienceMs: 1_000, openEntry: open })
    expect(entries.size).toBe(0)
  })

  it('deletes the key of one data folder only', async () => {
    const { entries, open } = keyring()
    for (const folder of ['/data/one', '/data/two']) await openKeyringBackend(folder, open)
    const [, kept] = entries.keys()
    await deleteKeyringKey('/data/one', { patienceMs: 1_000, openEntry: open })
    expect([...entries.keys()]).toEqual([kept])
  })
})
