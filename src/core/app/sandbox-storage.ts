/** Storage of the sandbox's objects in the data folder. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Log } from '../base/deps.ts'
import { openHeaders, sealHeaders, type HookHeaders } from '../hooks/hook-record.ts'
import type { Vault } from '../hooks/vault.ts'
import type { SandboxStorage, SandboxRecord } from '../sandbox/records.ts'
import type { Store } from '../store/store.ts'

/** Creates the storage of sandbox objects, whose secrets and header values are sealed. */
export function createSandboxStorage(
  store: Pick<Store, 'read' | 'write'>,
  vault: Vault,
  log: Log,
): SandboxStorage {
  return {
    async load() {
      const records: SandboxRecord[] = []
      for (const { kind, id, mode, data: text, secret, headers } of await store.read(
        'sandboxObjects',
        null,
      )) {
        try {
          const opened = secret === null ? {} : { secret: await vault.open(secret) }
          const data = JSON.parse(text) as SandboxRecord['data']
          const withHeaders =
            headers === null ? data : { ...data, headers: await openHeaders(vault, headers) }
          records.push({ kind, id, mode, data: withHeaders, ...opened })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          // Skips a hook that only another host can decrypt, so that the sandbox can start.
          log.warn("A sandbox object is skipped: this host can't open its secret.", {
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

function hasHeaders(data: object): data is { readonly headers: HookHeaders } {
  return 'headers' in data && typeof data.headers === 'object' && data.headers !== null
}
