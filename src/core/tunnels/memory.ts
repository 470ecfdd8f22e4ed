/** Stored between tunnels: earlier URLs, and the encrypted account token. */
import { z } from 'zod'
import type { SealedSecret } from '../base/deps.ts'
import { readJsonSetting } from '../store/json-setting.ts'
import type { Store } from '../store/store.ts'
import { secretHint, type Vault } from '../hooks/vault.ts'

export interface TunnelMemory {
  /** Newest first. */
  addresses(): readonly string[]
  remember(url: string): Promise<void>
  /** Null if none is stored. Rejects with `SECRET_UNREADABLE`. */
  token(): Promise<string | null>
  /** Its last characters; null if none is stored or this computer can't decrypt it. */
  tokenHint(): Promise<string | null>
  setToken(token: string | null): Promise<void>
}

const ADDRESSES = 'tunnels.addresses'
const TOKEN = 'tunnels.ngrok-token'
const MOST_ADDRESSES = 10

const addressesSchema = z.array(z.string())
const sealedSchema = z.object({ backend: z.string(), sealed: z.base64() })

export async function openTunnelMemory({
  store,
  vault,
}: {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Pick<Vault, 'seal' | 'open' | 'sealAgain'>
}): Promise<TunnelMemory> {
  let addresses = (await readJsonSetting(store, ADDRESSES, addressesSchema)) ?? []
  const readToken = async (): Promise<SealedSecret | null> => {
    const kept = await readJsonSetting(store, TOKEN, sealedSchema)
    return kept === null
      ? null
      : { backend: kept.backend, sealed: Buffer.from(kept.sealed, 'base64') }
  }
  const writeToken = async (secret: SealedSecret | null) => {
    const value =
      secret === null
        ? ''
        : JSON.stringify({
            backend: secret.backend,
            sealed: Buffer.from(secret.sealed).toString('base64'),
          })
    await store.write('writeSetting', { name: TOKEN, value })
  }
  const token = async () => {
    const kept = await readToken()
    return kept === null ? null : vault.open(kept)
  }

  // Another host or an earlier version may have encrypted it.
  const stored = await readToken()
  const again = stored === null ? null : await vault.sealAgain(stored)
  if (again !== null) await writeToken(again)
  return {
    addresses: () => addresses,
    async remember(url) {
      if (addresses[0] === url) return
      addresses = [url, ...addresses.filter((known) => known !== url)].slice(0, MOST_ADDRESSES)
      await store.write('writeSetting', { name: ADDRESSES, value: JSON.stringify(addresses) })
    },
    token,
    async tokenHint() {
      const plain = await token().catch(() => null)
      return plain === null ? null : secretHint(plain)
    },
    async setToken(plain) {
      await writeToken(plain === null ? null : await vault.seal(plain))
    },
  }
}
