/** The sandbox's storage in the database of the data folder; secrets are sealed on their way in. */
import type { SandboxRecord, SandboxStorage } from './sandbox/storage.ts'
import type { Store } from './store/store.ts'
import type { Vault } from './vault/vault.ts'

export function createSandboxStorage(store: Pick<Store, 'read' | 'write'>, vault: Vault): SandboxStorage {
  return {
    async load() {
      const objects = await store.read('sandboxObjects', null)
      return Promise.all(
        objects.map(async ({ kind, id, mode, data, secret }): Promise<SandboxRecord> => ({
          kind,
          id,
          mode,
          data: JSON.parse(data) as SandboxRecord['data'],
          ...(secret === null ? {} : { secret: await vault.open(secret) }),
        })),
      )
    },
    async put({ kind, id, mode, data, secret }) {
      await store.write('putSandboxObject', {
        kind,
        id,
        mode,
        data: JSON.stringify(data),
        secret: secret === undefined ? null : await vault.seal(secret),
      })
    },
    async delete(kind, id) {
      await store.write('deleteSandboxObject', { kind, id })
    },
  }
}
