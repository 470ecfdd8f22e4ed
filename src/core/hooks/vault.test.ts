import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fc, test as property } from '@fast-check/vitest'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createVault, secretHint } from './vault.ts'
import { createFileBackend } from './file-backend.ts'
import { times } from '../../../test/support/long-form.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const fileBackend = () => createFileBackend(folder, (count) => randomBytes(count))
const keyFile = () => join(folder, 'vault.key')
const SECRET = 'whsec_a secret — 東京'

describe('the vault', () => {
  test('says what to do if this computer lacks the backend', async () => {
    const sealed = { backend: 'of-tomorrow', sealed: new Uint8Array() }
    await expect(createVault([fileBackend()]).open(sealed)).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
      message: expect.stringContaining('encrypted with "of-tomorrow"'),
    })
  })

  test('rejects text that was changed, truncated or encrypted with another key, and reveals nothing of it', async () => {
    const vault = createVault([fileBackend()])
    const sealed = await vault.seal(SECRET)
    const changed = Buffer.from(sealed.sealed)
    changed[changed.length - 1]! ^= 1
    for (const bytes of [
      changed,
      sealed.sealed.slice(0, 10),
      new Uint8Array(),
      Buffer.concat([sealed.sealed, Buffer.from('x')]),
    ]) {
      await expect(vault.open({ backend: 'file', sealed: bytes })).rejects.toMatchObject({
        code: 'SECRET_UNREADABLE',
      })
    }
    writeFileSync(keyFile(), randomBytes(32))
    const error = await createVault([fileBackend()])
      .open(sealed)
      .catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ code: 'SECRET_UNREADABLE' })
    expect(String(error)).not.toContain('whsec')
  })

  test('needs a backend', () => {
    expect(() => createVault([])).toThrow(/backend/)
  })
})

describe('the file backend', () => {
  property.prop(
    [fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => text.isWellFormed())],
    { numRuns: times(20, 1_000) },
  )('opens any text as it was', async (text) => {
    const backend = fileBackend()
    expect(await backend.open(await backend.seal(text))).toBe(text)
  })

  test('never encrypts the same text to the same bytes, and leaks nothing of it', async () => {
    const backend = fileBackend()
    const [one, two] = await Promise.all([backend.seal(SECRET), backend.seal(SECRET)])
    expect(Buffer.from(one).equals(Buffer.from(two))).toBe(false)
    expect(Buffer.from(one).includes('whsec')).toBe(false)
  })

  test('creates its key once, readable by this user only', async () => {
    await Promise.all([fileBackend().seal('a'), fileBackend().seal('b')])
    const key = readFileSync(keyFile())
    expect(key).toHaveLength(32)
    if (process.platform !== 'win32') expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
    await fileBackend().seal('c')
    expect(readFileSync(keyFile()).equals(key)).toBe(true)
  })

  test('two processes that start together use the same key', async () => {
    for (let round = 0; round < 20; round++) {
      rmSync(keyFile(), { force: true })
      const backends = Array.from({ length: 4 }, fileBackend)
      const sealed = await Promise.all(backends.map((backend) => backend.seal(SECRET)))
      const reader = fileBackend()
      expect(await Promise.all(sealed.map((bytes) => reader.open(bytes)))).toEqual(
        sealed.map(() => SECRET),
      )
    }
  })

  test.runIf(process.platform !== 'win32')(
    'says so if other users can read the key that it uses',
    async () => {
      const backend = fileBackend()
      expect(backend.message).toContain('readable only by you')
      // Another process has created it meanwhile.
      writeFileSync(keyFile(), randomBytes(32))
      chmodSync(keyFile(), 0o644)
      await backend.seal(SECRET)
      expect(backend.message).toContain('which other users of this computer may read')
      // The next start takes their rights away.
      expect(fileBackend().message).toContain('readable only by you')
      expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
    },
  )

  test('a key file of the wrong size is kept and reported', async () => {
    writeFileSync(keyFile(), 'not a key')
    await expect(fileBackend().seal(SECRET)).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
      message: expect.stringContaining(keyFile()),
    })
    expect(readFileSync(keyFile(), 'utf8')).toBe('not a key')
  })
})

test('a secret is shown by its last four characters, a short one not at all', () => {
  expect(secretHint('whsec_abcdefgh')).toBe('…efgh')
  expect(secretHint('short')).toBe('…')
  expect(secretHint('')).toBe('…')
})
