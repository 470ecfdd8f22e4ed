/** Stores, restores and reads the named requests of a setup. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Setup } from '../../shared/model/setup.ts'
import { SETUP_REQUESTS_BYTES } from '../../shared/model/setup-file.ts'
import { byteSize } from '../../shared/text/english.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { ComposedRequests } from '../replaying/composed-requests.ts'
import type { RetentionService } from '../retention/retention.ts'
import type { Store } from '../store/store.ts'
import { hookIdsByKey } from './describe-setup.ts'
import { hookKey } from './setup-items.ts'
import type { ParsedSource } from './setup-plan.ts'

export interface SetupRequestsDeps {
  readonly composed: Pick<ComposedRequests, 'keep'>
  readonly hooks: Pick<Hooks, 'list'>
  readonly retention: Pick<RetentionService, 'remove'>
  readonly store: Pick<Store, 'read' | 'write'>
}

/** Stored request, and the seq of the one that had its name. */
export interface AppliedRequest {
  readonly id: string
  readonly hookId: string | null
  readonly name: string
  readonly replaced: number | null
}

/** Resolves with the stored requests. Stores none if it rejects, with the first one's error. */
export async function applyRequests(
  deps: SetupRequestsDeps,
  { setup, bodies }: ParsedSource,
  isChanged: (name: string) => boolean,
): Promise<AppliedRequest[]> {
  const hookIds = hookIdsByKey(deps.hooks.list())
  const applied: AppliedRequest[] = []
  try {
    for (const [
      index,
      { name, event = null, hook: hookName, headers },
    ] of setup.requests.entries()) {
      if (!isChanged(name)) continue
      const hook = setup.hooks.find((one) => one.name === hookName)
      const hookId = hook === undefined ? null : (hookIds.get(hookKey(hook)) ?? null)
      const replaced = await deps.store.read('namedRequest', name)
      const body = bodies[index]?.body ?? new Uint8Array()
      const request = { body, headers: Object.entries(headers), event, hookId, name }
      applied.push({ id: await deps.composed.keep(request), hookId, name, replaced })
    }
    return applied
  } catch (error) {
    await undoRequests(deps, applied)
    throw error
  }
}

/** Removes stored requests; those that they replaced get their names back. */
export async function undoRequests(
  { retention, store }: SetupRequestsDeps,
  applied: readonly AppliedRequest[],
): Promise<void> {
  for (const { name, replaced } of applied)
    if (replaced !== null)
      await store.write('nameRequest', { seq: replaced, name, ifTaken: 'move' })
  const ids = applied.map(({ id }) => id)
  const everything = { kind: 'all', of: [] } as const
  if (ids.length > 0)
    await retention.remove({ ids, query: everything, pinned: true, final: true, preview: false })
}

/** Resolves with the bodies by path. Rejects with `UNSUPPORTED` for too many bytes. */
export async function readRequests(
  { store }: Pick<SetupRequestsDeps, 'store'>,
  requests: readonly Delivery[],
  setup: Setup,
): Promise<{ path: string; base64: string }[]> {
  const size = requests.reduce((sum, { bodySize }) => sum + bodySize, 0)
  if (size > SETUP_REQUESTS_BYTES)
    throw new AppError(
      'UNSUPPORTED',
      `The named requests have ${byteSize(size)}, and a setup can have ${byteSize(SETUP_REQUESTS_BYTES)}. Delete some of them.`,
    )
  const bodies = []
  for (const [index, { seq }] of requests.entries()) {
    const { bytes } = await store.read('body', { seq })
    const base64 = Buffer.from(bytes).toString('base64')
    bodies.push({ path: setup.requests[index]?.file ?? '', base64 })
  }
  return bodies
}
