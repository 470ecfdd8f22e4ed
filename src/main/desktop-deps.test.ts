import { describe, expect, test } from 'vitest'
import { createSafeStorageOpener } from './desktop-deps.ts'

interface Store {
  readonly selected?: string
  readonly available?: boolean
  /** What Chromium writes in front: `v11` for a real Linux key store, `v10` for the public password. */
  readonly mark?: string
  readonly isClear?: boolean
}

/** A safeStorage whose "encryption" shows which store it used. */
function storage({
  selected = 'gnome_libsecret',
  available = true,
  mark = 'v11',
  isClear = false,
}: Store = {}) {
  const asked: string[] = []
  return {
    asked,
    // Electron declares only the names of today.
    getSelectedStorageBackend: () => selected as 'gnome_libsecret',
    isAsyncEncryptionAvailable() {
      asked.push('available')
      return Promise.resolve(available)
    },
    encryptStringAsync: (plain: string) =>
      Promise.resolve(Buffer.from(mark + (isClear ? plain : plain.split('').reverse().join('')))),
    decryptStringAsync(sealed: Buffer) {
      const text = sealed.toString()
      if (!text.startsWith(mark)) return Promise.reject(new Error('not sealed here'))
      const plain = text.slice(mark.length)
      return Promise.resolve({
        shouldReEncrypt: false,
        result: isClear ? plain : plain.split('').reverse().join(''),
      })
    },
  }
}

const proves = (store: Store, platform: NodeJS.Platform = 'linux') =>
  createSafeStorageOpener(storage(store), platform).proves?.()

describe('safeStorage', () => {
  test('opens what it sealed earlier and seals nothing new', async () => {
    const store = storage()
    const opener = createSafeStorageOpener(store, 'linux')
    expect(
      store.asked,
      'macOS asks the user, so nothing is asked before there is a secret',
    ).toEqual([])
    expect(await opener.open(new Uint8Array(await store.encryptStringAsync('whsec-1')))).toBe(
      'whsec-1',
    )
    await expect(opener.open(Buffer.from('other'))).rejects.toThrow('not sealed here')
    await expect(opener.seal('whsec-1')).rejects.toThrow('no new secrets')
  })

  test('protects with a real key store on every system', async () => {
    expect(await proves({ selected: 'gnome_libsecret' })).toBe(true)
    expect(await proves({ selected: 'kwallet6' })).toBe(true)
    // v10 is the usual mark there, with a key from the keychain or DPAPI.
    expect(await proves({ selected: '', mark: 'v10' }, 'darwin')).toBe(true)
    expect(await proves({ selected: '', mark: 'v10' }, 'win32')).toBe(true)
  })

  test('on Linux, an unknown, empty or plain-text store protects nothing, whatever it claims', async () => {
    for (const selected of ['basic_text', 'unknown', '', 'a_store_of_tomorrow'])
      expect(await proves({ selected }), selected).toBe(false)
  })

  test('on Linux, a probe sealed with the public password, left in clear or not available gives a false claim away', async () => {
    expect(await proves({ mark: 'v10' })).toBe(false)
    expect(await proves({ isClear: true })).toBe(false)
    expect(await proves({ available: false })).toBe(false)
  })
})
