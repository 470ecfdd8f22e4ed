/** Handlers of `deliveries.*`. */
import type { Handlers } from '../../shared/rpc/router.ts'
import { readQuery } from '../../shared/query/parse.ts'
import { explainSignature } from './explain-signature.ts'
import type { Services } from './services.ts'

type DeliveryHandlers = Pick<Handlers, Extract<keyof Handlers, `deliveries.${string}`>>

export function createDeliveryHandlers(services: Services): DeliveryHandlers {
  const { store, hooks } = services
  const read = (query = '') => readQuery(query, { now: services.now(), hooks: hooks.list() })
  return {
    'deliveries.list': async ({ query, limit, before, after }) => {
      const parsed = read(query)
      await store.settled()
      return { items: await store.read('list', { query: parsed, limit, before, after }) }
    },
    'deliveries.page': async ({ query, from, limit }) => ({
      rows: await store.read('page', { query: read(query), from, limit }),
    }),
    'deliveries.anchors': ({ query, pageSize }) => store.read('anchors', { query: read(query), pageSize }),
    'deliveries.get': async ({ id }) => {
      await store.settled()
      return store.read('get', id)
    },
    'deliveries.body': async ({ id, offset, length }) => {
      const { seq } = await store.read('get', id)
      const { bytes, size } = await store.read('body', { seq, offset, length })
      return { offset, size, base64: Buffer.from(bytes).toString('base64') }
    },
    'deliveries.signature': ({ id }) => explainSignature(services, id),
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
