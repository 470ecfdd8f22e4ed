/** Prints hooks, with their secrets if requested. */
import type { OutputOf } from '../shared/contract/contract.ts'
import { grey, type Cell, pick, type Output } from './print.ts'
import { omitUndefined } from './options/input.ts'
import { MASK } from '../shared/text/masked-places.ts'
import type { Hook } from '../shared/model/hook.ts'
import type { Caller } from './session.ts'

/** A hook with its secret, if requested; null if unknown. */
interface ListedHook {
  readonly hook: OutputOf<'hooks.list'>['hooks'][number]
  readonly secret?: string | null
}

/**
 * Returns an object of `hooks list --json` with masked header values; scripts depend on its names.
 */
export function hookJson({ hook, secret }: ListedHook): Record<string, unknown> {
  const { headers } = hook
  return {
    ...pick(hook, 'id', 'remoteId', 'kind', 'event', 'url', 'programId', 'offerId'),
    headers:
      secret === undefined
        ? Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]))
        : headers,
    ...pick(hook, 'environment', 'mode', 'path', 'status', 'createdAt'),
    ...omitUndefined({ remoteHost: hook.remoteHost, secret }),
  }
}

export function hookCells({ hook, secret }: ListedHook): Cell[] {
  const shown = secret ?? hook.secretHint
  return [
    hook.event,
    hook.environment,
    hook.remoteHost == null
      ? { text: hook.status, color: hook.status === 'active' ? 'green' : 'yellow' }
      : 'verifies only',
    hook.url,
    { text: shown ?? 'unknown', color: shown === null ? 'yellow' : null },
    grey(hook.id),
  ]
}

async function withSecret(client: Caller, hook: Hook): Promise<ListedHook> {
  // Without a hint, the secret is missing or can't be decrypted.
  if (hook.secretHint === null) return { hook, secret: null }
  return { hook, secret: (await client.call('hooks.reveal', { id: hook.id })).secret }
}

export async function readHookList(
  client: Caller,
  { environment, withSecrets }: { environment: string | undefined; withSecrets: boolean },
): Promise<ListedHook[]> {
  const { hooks } = await client.call('hooks.list', { environment })
  return withSecrets
    ? Promise.all(hooks.map((hook) => withSecret(client, hook)))
    : hooks.map((hook) => ({ hook }))
}

export async function printHook(
  output: Output,
  client: Caller,
  hook: Hook,
  { withSecrets = false }: { readonly withSecrets?: boolean } = {},
): Promise<void> {
  output.result(hookJson(withSecrets ? await withSecret(client, hook) : { hook }), hook.id)
}
