/** Handlers of `lifecycle.*`. */
import type { Handlers } from '../../shared/rpc/router.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Lifecycle } from '../../shared/model/lifecycle.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { describeAttempts } from '../lifecycle/attempts.ts'
import { gatherLifecycle } from '../lifecycle/gather.ts'
import { MOST_LOOKED_AT } from '../store/search/linked.ts'
import type { Services } from './services.ts'

type LifecycleHandlers = Pick<Handlers, Extract<keyof Handlers, `lifecycle.${string}`>>

/** Bodies are kept up to the receiver's limit; this reads any of them in one piece. */
const WHOLE = Number.MAX_SAFE_INTEGER

export function createLifecycleHandlers(services: Services): LifecycleHandlers {
  const { store } = services
  return {
    'lifecycle.get': ({ deliveryId }) => readLifecycle(services, deliveryId),
    'lifecycle.attempts': async ({ deliveryId }) => {
      await store.settled()
      const rows = await store.read('attempts', deliveryId)
      const deliveries = await store.read(
        'bySeq',
        rows.map(({ seq }) => seq),
      )
      return { attempts: describeAttempts(deliveries.toReversed(), (row) => isAcknowledged(services, row)) }
    },
  }
}

/** The lifecycle that a delivery belongs to. Rejects with `NOT_FOUND` where there is no such delivery. */
export async function readLifecycle(services: Services, deliveryId: string): Promise<Lifecycle> {
  const { store, hooks } = services
  await store.settled()
  const delivery = await store.read('get', deliveryId)
  const { bytes: body } = await store.read('body', { seq: delivery.seq, offset: 0, length: WHOLE })
  return gatherLifecycle(
    { delivery, body },
    {
      linked: (link) => store.search.read('linked', link),
      count: (link) => store.search.read('linkCount', link),
      unlinked: () => {
        const { left } = store.search.status()
        return left > MOST_LOOKED_AT ? { left, of: store.total() } : null
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

/** Whether the service takes the answer for an acknowledgement (section 6.4), or the environment is set to take any 2xx. */
function isAcknowledged({ environments }: Services, { answer: { status, ms }, environment }: DeliveryRow): boolean {
  if (status === null || ms === null || ms > ACKNOWLEDGE_TIMEOUT_MS) return false
  const isLenient = environments.all().some(({ name, ack }) => name === environment && ack === '2xx')
  return isLenient ? status >= 200 && status < 300 : status === 200
}
