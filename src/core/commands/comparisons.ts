/** Handlers of the commands that compare a delivery with others, and place it in its lifecycle. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import { defaultVolatileFields, volatileFieldsSchema } from '../../shared/diff/volatile-fields.ts'
import type { ComparisonOffer, VolatileList } from '../../shared/model/comparison.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Lifecycle } from '../../shared/model/lifecycle.ts'
import type { HandlerInput, Handlers } from '../../shared/rpc/router.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { describeAttempts } from '../lifecycle/attempts.ts'
import { offersOf } from '../lifecycle/comparison-offers.ts'
import { gatherLifecycle } from '../lifecycle/lifecycle.ts'
import { MAX_UNINDEXED_CHECKED } from '../store/search/linked-deliveries.ts'
import { readJsonSetting } from '../store/settings.ts'
import type { Services } from './services.ts'

export function createComparisonHandlers(services: Services) {
  const { store } = services
  return {
    'compare.offers': ({ deliveryId }) => findOffers(services, deliveryId),
    'compare.neighbour': async ({ deliveryId, by }) => {
      await store.settled()
      return { row: await store.read('neighbour', { ref: deliveryId, by }) }
    },
    'compare.volatile': ({ hookId }) => readVolatile(services, hookId),
    'compare.setVolatile': (input) => storeVolatile(services, input),
    'lifecycle.get': ({ deliveryId }) => readLifecycle(services, deliveryId),
    'lifecycle.attempts': ({ deliveryId }) => readAttempts(services, deliveryId),
  } satisfies Partial<Handlers>
}

function settingOf(hookId: string | null): string {
  return `compare.volatile.${hookId ?? 'no-hook'}`
}

const DEFAULT_VOLATILE: VolatileList = { fields: defaultVolatileFields, isOwn: false }

async function readVolatile({ store }: Services, hookId: string | null): Promise<VolatileList> {
  const fields = await readJsonSetting(store, settingOf(hookId), volatileFieldsSchema)
  return fields === null ? DEFAULT_VOLATILE : { fields, isOwn: true }
}

async function storeVolatile(
  { store }: Services,
  { hookId, fields }: HandlerInput<'compare.setVolatile'>,
): Promise<VolatileList> {
  await store.write('writeSetting', {
    name: settingOf(hookId),
    value: fields === null ? '' : JSON.stringify(fields),
  })
  return fields === null ? DEFAULT_VOLATILE : { fields, isOwn: true }
}

async function findOffers(
  services: Services,
  deliveryId: string,
): Promise<{ offers: ComparisonOffer[] }> {
  const { store } = services
  await store.settled()
  const delivery = await store.read('get', deliveryId)
  const [lifecycle, attempts, previous] = await Promise.all([
    readLifecycle(services, deliveryId),
    store.read('attempts', deliveryId),
    store.read('neighbour', { ref: deliveryId, by: -1 }),
  ])
  return { offers: offersOf(delivery, lifecycle, attempts, previous) }
}

/** Gathers the lifecycle of a delivery. Rejects with `NOT_FOUND`. */
async function readLifecycle(services: Services, deliveryId: string): Promise<Lifecycle> {
  const { store, hooks } = services
  await store.settled()
  const delivery = await store.read('get', deliveryId)
  const { bytes: body } = await store.read('body', { seq: delivery.seq })
  return gatherLifecycle(
    { delivery, body },
    {
      // A composed request is in no other delivery's lifecycle.
      linked: (link) =>
        delivery.origin === 'composed'
          ? Promise.resolve({ deliveries: [{ delivery, body }], isCut: false })
          : store.search.read('linked', link),
      count: (link) => store.search.read('linkCount', link),
      unlinked: () => {
        const { left } = store.search.status()
        return left > MAX_UNINDEXED_CHECKED ? { left, of: store.total() } : null
      },
    },
    {
      now: services.businessNow,
      hasHook: (environment, event, programId) =>
        hooks
          .list(environment ?? undefined)
          .some(
            (hook) =>
              hook.event === event &&
              hook.status === 'active' &&
              (hook.programId === null || programId === null || hook.programId === programId),
          ),
    },
  )
}

/**
 * Whether the response acknowledges the delivery (section 6.4, or any 2xx if the environment allows
 * it).
 */
function isAcknowledged(
  { environments }: Services,
  { answer: { status, ms }, environment }: DeliveryRow,
): boolean {
  if (status === null || ms === null || ms > ACKNOWLEDGE_TIMEOUT_MS) return false
  const isLenient = environments
    .all()
    .some(({ name, ack }) => name === environment && ack === '2xx')
  return isLenient ? status >= 200 && status < 300 : status === 200
}

async function readAttempts(
  services: Services,
  deliveryId: string,
): Promise<OutputOf<'lifecycle.attempts'>> {
  const { store } = services
  await store.settled()
  const rows = await store.read('attempts', deliveryId)
  const deliveries = await store.read(
    'deliveriesBySeq',
    rows.map(({ seq }) => seq),
  )
  return {
    attempts: describeAttempts(deliveries.toReversed(), (row) => isAcknowledged(services, row)),
  }
}
