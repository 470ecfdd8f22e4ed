/**
 * Encrypts custom header values, which often are credentials, as one JSON text. Values that an earlier version stored in clear are
 * replaced.
 */
import type { Log, SealedSecret } from '../base/deps.ts'
import { ERASE_PENDING } from '../store/hooks.ts'
import type { Store } from '../store/store.ts'
import type { Vault } from './vault.ts'
import { withoutHeaderValues } from './hook-record.ts'

export type HookHeaders = Readonly<Record<string, string>>

/** Null if there are none. */
export async function sealHeaders(
  vault: Pick<Vault, 'seal'>,
  headers: HookHeaders,
): Promise<SealedSecret | null> {
  return Object.keys(headers).length === 0 ? null : vault.seal(JSON.stringify(headers))
}

/** Rejects with `SECRET_UNREADABLE` like the vault. */
export async function openHeaders(
  vault: Pick<Vault, 'open'>,
  sealed: SealedSecret,
): Promise<HookHeaders> {
  return JSON.parse(await vault.open(sealed)) as HookHeaders
}

/**
 * Encrypts values stored in clear by an earlier version, once, before hooks are loaded. If this fails, these values are unavailable
 * until the next start.
 */
export async function sealClearHeaders(
  store: Pick<Store, 'read' | 'write'>,
  vault: Pick<Vault, 'seal'>,
  log: Log,
): Promise<void> {
  try {
    if ((await store.read('setting', ERASE_PENDING)) === null) await sealAll(store, vault)
  } catch (error) {
    log.warn("Couldn't encrypt header values stored by an earlier version.", {
      reason: (error as Error).message,
    })
  }
}

/**
 * Erases the values that `sealClearHeaders` replaced from free pages, gaps of reused pages and the log, once. Nothing is received
 * yet, so that the whole file can be rewritten.
 */
export async function eraseClearHeaders(
  store: Pick<Store, 'read' | 'write'>,
  log: Log,
): Promise<void> {
  try {
    if ((await store.read('setting', ERASE_PENDING)) !== 'true') return
    if (await store.write('vacuum', null))
      await store.write('writeSetting', { name: ERASE_PENDING, value: 'false' })
  } catch (error) {
    log.warn(
      "Couldn't erase old header values from free database pages. Countersign retries at the next start.",
      { reason: (error as Error).message },
    )
  }
}

async function sealAll(
  store: Pick<Store, 'read' | 'write'>,
  vault: Pick<Vault, 'seal'>,
): Promise<void> {
  const clear = await store.read('clearHeaders', null)
  const hooks = clear.hooks.map(async ({ id, headers: text, record }) => {
    const headers = JSON.parse(text) as HookHeaders
    const kept =
      record === null ? null : JSON.stringify(withoutHeaderValues(JSON.parse(record), headers))
    return {
      id,
      names: Object.keys(headers),
      headers: await sealHeaders(vault, headers),
      record: kept,
    }
  })
  const objects = clear.objects.map(async ({ kind, id, data }) => {
    const { headers, ...rest } = JSON.parse(data) as { headers: HookHeaders }
    return {
      kind,
      id,
      data: JSON.stringify({ ...rest, headers: {} }),
      headers: await vault.seal(JSON.stringify(headers)),
    }
  })
  await store.write('sealHeaders', {
    hooks: await Promise.all(hooks),
    objects: await Promise.all(objects),
  })
}
