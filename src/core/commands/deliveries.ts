/** Handlers of `deliveries.*`. */
import type { deliveryCommands } from '../../shared/contract/nouns/deliveries.ts'
import { readyJson } from '../../shared/rpc/ready-json.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { readIdentifiedQuery, readQuery } from '../../shared/query/parse.ts'
import { maskingOf } from '../exchange/known-secrets.ts'
import { maskedDelivery } from '../exchange/masked-delivery.ts'
import { diagnoseDelivery, explainSignature } from './explain-signature.ts'
import type { Services } from './services.ts'

type DeliveryHandlers = Pick<Handlers, keyof typeof deliveryCommands>

export function createDeliveryHandlers(services: Services): DeliveryHandlers {
  const { store, hooks } = services
  const surroundings = () => ({ now: services.now(), hooks: hooks.list() })
  const read = (query = '') => readQuery(query, surroundings())
  return {
    'deliveries.list': async ({ query, limit, before, after, identified, masked }, { signal }) => {
      const parsed = identified ? readIdentifiedQuery(query ?? '', surroundings()) : read(query)
      await store.settled()
      const to = after === undefined ? undefined : after + 1
      // What came after a delivery is told from the oldest on, so that a reader who goes on from there misses none.
      const { seqs } =
        to !== undefined && before === undefined
          ? await store.search.find(parsed, { to, signal })
          : await store.search.find(parsed, { from: before === undefined ? undefined : before - 1, to, limit, signal })
      const items = await store.read('bySeq', seqs.slice(-limit))
      if (!masked) return { items }
      const masking = await maskingOf(services)
      return { items: items.map((delivery) => maskedDelivery(delivery, masking)) }
    },
    'deliveries.page': async ({ query, from, to, limit }, { signal }) =>
      readyJson(`{"rows":${await store.search.page(read(query), { from, to, limit, signal })}}`),
    'deliveries.anchors': ({ query, pageSize, from, skip, patience }, { signal }) =>
      store.search.anchors(read(query), { pageSize, from, skip, patienceMs: patience, signal }),
    'deliveries.get': async ({ id, masked }) => {
      await store.settled()
      const delivery = await store.read('get', id)
      return masked ? maskedDelivery(delivery, await maskingOf(services)) : delivery
    },
    'deliveries.body': async ({ id, offset, length }) => {
      const { seq } = await store.read('get', id)
      const { bytes, size } = await store.read('body', { seq, offset, length })
      return { offset, size, base64: Buffer.from(bytes).toString('base64') }
    },
    'deliveries.signature': ({ id }, { signal }) => explainSignature(services, id, signal),
    'deliveries.diagnose': (input, { signal }) => diagnoseDelivery(services, input, signal),
    'deliveries.schema': async ({ id }) => {
      await store.settled()
      return store.read('schema', id)
    },
    'deliveries.attempts': async ({ id }) => {
      await store.settled()
      return { rows: await store.read('attempts', id) }
    },
  }
}
