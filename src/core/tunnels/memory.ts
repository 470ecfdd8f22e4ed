/** What outlives a tunnel: the addresses that tunnels had, and the token of the account, sealed. */
import { z } from 'zod'
import type { Store } from '../store/store.ts'
import { secretHint, type Vault } from '../hooks/vault.ts'

export interface TunnelMemory {
  /** Newest first. */
  addresses(): readonly string[]
  remember(url: string): Promise<void>
  /** Null where none is kept. Rejects with `SECRET_UNREADABLE`. */
  token(): Promise<string | null>
  /** Its last characters; null where none is kept, or it cannot be opened by this host. */
  tokenHint(): Promise<string | null>
  setToken(token: string | null): Promise<void>
}

const ADDRESSES = 'tunnels.addresses'
const TOKEN = 'tunnels.ngrok-token'
const MOST_ADDRESSES = 10

const addressesSchema = z.array(z.string())
const sealedSchema = z.object({ backend: z.string(), sealed: z.base64() })

function parsed<T>(schema: z.ZodType<T>, text: string | null): T | null {
  if (text === null || text === '') return null
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    // Written by nobody but us: what cannot be read is as if it were not there.
    return null
  }
}

export async function openTunnelMemory({
  store,
  vault,
}: {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Pick<Vault, 'seal' | 'open'>
}): Promise<TunnelMemory> {
  let addresses = parsed(addressesSchema, await store.read('setting', ADDRESSES)) ?? []
  const token = async () => {
    const kept = parsed(sealedSchema, await store.read('setting', TOKEN))
    return kept === null ? null : vault.open({ backend: kept.backend, sealed: Buffer.from(kept.sealed, 'base64') })
  }
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
      const sealed = plain === null ? null : await vault.seal(plain)
      const value =
        sealed === null ? '' : JSON.stringify({ backend: sealed.backend, sealed: Buffer.from(sealed.sealed).toString('base64') })
      await store.write('writeSetting', { name: TOKEN, value })
    },
  }
}
