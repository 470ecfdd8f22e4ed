/** The sandbox's storage in the database of the data folder; secrets and the values of custom headers are sealed on their way in. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Log } from '../base/deps.ts'
import type { SandboxRecord, SandboxStorage } from '../sandbox/storage.ts'
import { openHeaders, sealHeaders, type HookHeaders } from '../hooks/seal-headers.ts'
import type { Store } from '../store/store.ts'
import type { Vault } from '../hooks/vault.ts'

export function createSandboxStorage(store: Pick<Store, 'read' | 'write'>, vault: Vault, log: Log): SandboxStorage {
  return {
    async load() {
      const records: SandboxRecord[] = []
      for (const { kind, id, mode, data: text, secret, headers } of await store.read('sandboxObjects', null)) {
        try {
          const opened = secret === null ? {} : { secret: await vault.open(secret) }
          const data = JSON.parse(text) as SandboxRecord['data']
          const withHeaders = headers === null ? data : { ...data, headers: await openHeaders(vault, headers) }
          records.push({ kind, id, mode, data: withHeaders, ...opened })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          // What cannot sign is left out rather than keeping the sandbox from starting; the host that sealed it finds it again.
          log.warn('An object of the sandbox is left out: its secret cannot be opened by this host.', {
            kind,
            id,
            reason: error.message,
          })
        }
      }
      return records
    },
    async put({ kind, id, mode, data, secret }) {
      const headers = hasHeaders(data) ? await sealHeaders(vault, data.headers) : null
      await store.write('putSandboxObject', {
        kind,
        id,
        mode,
        data: JSON.stringify(headers === null ? data : { ...data, headers: {} }),
        secret: secret === undefined ? null : await vault.seal(secret),
        headers,
      })
    },
    async delete(kind, id) {
      await store.write('deleteSandboxObject', { kind, id })
    },
  }
}

/** Hooks and notifications have custom headers. */
function hasHeaders(data: object): data is { readonly headers: HookHeaders } {
  return 'headers' in data && typeof data.headers === 'object' && data.headers !== null
}
