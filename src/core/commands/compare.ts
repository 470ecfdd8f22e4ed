/** Handlers of `compare.*`. */
import type { Handlers } from '../../shared/rpc/router.ts'
import { usualVolatileFields, volatileFieldsSchema } from '../../shared/diff/volatile.ts'
import type { ComparisonOffer, VolatileList } from '../../shared/model/comparison.ts'
import { offersOf } from '../lifecycle/comparison-offers.ts'
import { readLifecycle } from './lifecycle.ts'
import type { Services } from './services.ts'

type CompareHandlers = Pick<Handlers, Extract<keyof Handlers, `compare.${string}`>>

/** Name of the setting that holds a hook's list. */
function settingOf(hookId: string | null): string {
  return `compare.volatile.${hookId ?? 'no-hook'}`
}

const USUAL: VolatileList = { fields: usualVolatileFields, isOwn: false }

export function createCompareHandlers(services: Services): CompareHandlers {
  const { store } = services
  return {
    'compare.offers': ({ deliveryId }) => findOffers(services, deliveryId),
    'compare.neighbour': async ({ deliveryId, by }) => {
      await store.settled()
      return { row: await store.read('neighbour', { ref: deliveryId, by }) }
    },
    'compare.volatile': async ({ hookId }) => {
      const kept = await store.read('setting', settingOf(hookId))
      return kept === null || kept === '' ? USUAL : { fields: volatileFieldsSchema.parse(JSON.parse(kept)), isOwn: true }
    },
    'compare.setVolatile': async ({ hookId, fields }) => {
      await store.write('writeSetting', { name: settingOf(hookId), value: fields === null ? '' : JSON.stringify(fields) })
      return fields === null ? USUAL : { fields, isOwn: true }
    },
  }
}

async function findOffers(services: Services, deliveryId: string): Promise<{ offers: ComparisonOffer[] }> {
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
