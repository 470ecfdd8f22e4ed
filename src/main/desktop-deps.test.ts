import { describe, expect, test } from 'vitest'
import { createSafeStorageBackend } from './desktop-deps.ts'

/** A safeStorage with transparent "encryption": these tests check which one is used and its name. */
function storage(selected: 'basic_text' | 'gnome_libsecret' | 'kwallet6' | 'unknown', available = true) {
  return {
    getSelectedStorageBackend: () => selected,
    isAsyncEncryptionAvailable: () => Promise.resolve(available),
    encryptStringAsync: (plain: string) => Promise.resolve(Buffer.from(`sealed:${plain}`)),
    decryptStringAsync: (sealed: Buffer) => {
      const text = sealed.toString()
      return text.startsWith('sealed:')
        ? Promise.resolve({ shouldReEncrypt: false, result: text.slice(7) })
        : Promise.reject(new Error('not sealed here'))
    },
  }
}

describe('safeStorage as a backend', () => {
  test('uses a real key store, names it and calls it protected', async () => {
    const backend = await createSafeStorageBackend(storage('gnome_libsecret'), 'linux')
    expect(backend).toMatchObject({ name: 'safe-storage', protected: true })
    expect(backend?.message).toContain('GNOME keyring')
    const sealed = await backend?.seal('whsec-1')
    expect(await backend?.open(new Uint8Array(sealed ?? []))).toBe('whsec-1')
    await expect(backend?.open(Buffer.from('other'))).rejects.toThrow('not sealed here')
  })

  test('never uses basic_text or an unknown store, whose password is public', async () => {
    expect(await createSafeStorageBackend(storage('basic_text'), 'linux')).toBeNull()
    expect(await createSafeStorageBackend(storage('unknown'), 'linux')).toBeNull()
  })

  test('ignores an unavailable store', async () => {
    expect(await createSafeStorageBackend(storage('kwallet6', false), 'linux')).toBeNull()
    expect(await createSafeStorageBackend(storage('unknown', false), 'darwin')).toBeNull()
  })

  test('macOS and Windows have their own stores', async () => {
    expect((await createSafeStorageBackend(storage('unknown'), 'darwin'))?.message).toContain('keychain')
    expect((await createSafeStorageBackend(storage('unknown'), 'win32'))?.message).toContain('DPAPI')
    expect(await createSafeStorageBackend(storage('unknown'), 'freebsd')).toBeNull()
  })
})
