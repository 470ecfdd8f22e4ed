/**
 * Encrypts stored secrets with the best backend if another one encrypted them: the desktop app's own key store in an earlier version,
 * or the key file before a keyring was available.
 */
import type { Log } from '../base/deps.ts'
import type { Store } from '../store/store.ts'
import type { Vault } from './vault.ts'

/**
 * Runs once, before secrets are loaded, so that nothing holds an old one in memory. A secret is replaced only by one that was
 * decrypted again, all in one transaction; what can't be decrypted here stays for the host that can.
 */
export async function sealSecretsAgain(store: Pick<Store, 'read' | 'write'>, vault: Vault, log: Log): Promise<void> {
  try {
    const { backend } = vault.status()
    const changes = []
    for (const from of await store.read('foreignSeals', backend)) {
      const to = await vault.sealAgain(from)
      if (to !== null) changes.push({ from, to })
    }
    if (changes.length === 0) return
    const secrets = await store.write('replaceSeals', changes)
    log.info('Encrypted stored secrets again with the best key store.', { secrets, backend })
  } catch (error) {
    log.warn("Couldn't encrypt stored secrets again. They stay readable as before.", { reason: (error as Error).message })
  }
}
