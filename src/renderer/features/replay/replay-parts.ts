/** Splits a replay without a chosen target into one replay per target. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { authorityOf } from '../../ui-state/authorities-slice.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import type { ReplayInput, ReplayTools } from './replay-state.ts'

type Tools = Pick<ReplayTools, 'client' | 'app'>

type ReplayPart = Pick<ReplayInput, 'to' | 'targetCa'> & { readonly ids: string[] }

export function currentHandler({ app }: Pick<Tools, 'app'>) {
  return app().core.handlers.find(({ current }) => current)
}

/** Returns the last target of a delivery's hook; null for its registered URL. */
export async function lastTarget({ client }: Pick<Tools, 'client'>, id: string) {
  const [{ byHook }, { hookId }] = await Promise.all([
    client.call('replay.targets', {}),
    client.call('deliveries.get', { id }),
  ])
  return byHook[hookId ?? ''] ?? null
}

/** Returns a replay to a saved handler; null if there is no secret to sign a delivery with. */
export function partsFor(
  handler: SavedHandler,
  rows: readonly DeliveryRow[],
): readonly ReplayPart[] | null {
  return !handler.hasSecret && rows.some(({ hookId }) => hookId === null)
    ? null
    : [{ ids: rows.map(({ id }) => id), to: handlerRef(handler), targetCa: null }]
}

/** Returns replays to the last target of each hook; null if one has no hook or target. */
export async function partsByHook(
  { client, app }: Tools,
  rows: readonly DeliveryRow[],
): Promise<readonly ReplayPart[] | null> {
  const { byHook } = await client.call('replay.targets', {})
  // Without a hook there is neither a secret to sign with nor a URL to send to.
  if (rows.some(({ hookId }) => hookId === null || byHook[hookId] === undefined)) return null
  const requests = rows.map(({ id, hookId }) => {
    const to = byHook[hookId ?? ''] ?? null
    const registered = app().core.hooks.find((hook) => hook.id === hookId)?.url ?? ''
    return { id, to, targetCa: authorityOf(app().authorities, to ?? registered) }
  })
  // A replay has one target and one CA certificate.
  return [
    ...Map.groupBy(requests, ({ to, targetCa }) => JSON.stringify([to, targetCa])).values(),
  ].map((group) => ({
    ids: group.map(({ id }) => id),
    to: group[0]?.to ?? null,
    targetCa: group[0]?.targetCa ?? null,
  }))
}
