/** Handlers of the commands for stored deliveries: reading, marks, deletion and retention. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { readyJson } from '../../shared/rpc/ready-json.ts'
import type { HandlerInput, Handlers } from '../../shared/rpc/router.ts'
import { maskingOf } from '../import-export/known-secrets.ts'
import { withoutMasking } from '../import-export/masking.ts'
import { maskedDelivery, maskingFor } from '../import-export/masked-records.ts'
import { countDeliveries, listDeliveries, listSeqs, withHook } from './delivery-lists.ts'
import { tryDelivery, explainSignature } from './explain-signature.ts'
import { readActionQuery, readListQuery, type Services } from './services.ts'
import { QuerySuggestions } from './suggestions.ts'

export function createDeliveryHandlers(services: Services) {
  const { store, retention } = services
  const suggestions = new QuerySuggestions(services)
  return {
    'deliveries.list': (input, { signal }) => listDeliveries(services, input, signal),
    'deliveries.seqs': (input, { signal }) => listSeqs(services, input, signal),
    'deliveries.rows': async ({ seqs }) => {
      const bySeq = new Map((await store.read('rowsBySeq', seqs)).map((row) => [row.seq, row]))
      return { rows: seqs.flatMap((seq) => bySeq.get(seq) ?? []) }
    },
    'deliveries.page': async ({ query, limit }, { signal }) => {
      const parsed = readListQuery(services, query)
      return readyJson(`{"rows":${await store.search.page(parsed, limit, signal)}}`)
    },
    'deliveries.values': (input) => readValues(services, input),
    'deliveries.get': (input) => readDelivery(services, input),
    'deliveries.signature': ({ id }, { signal }) => explainSignature(services, id, signal),
    'deliveries.diagnose': async (input, { signal }) => {
      if (input.secret === undefined && input.url === undefined)
        await services.lateVerdicts.judge(input.id)
      return tryDelivery(services, input, signal)
    },
    'deliveries.schema': async ({ id }) => {
      await store.settled()
      return store.read('schema', id)
    },
    'deliveries.attempts': async ({ id }) => {
      await store.settled()
      return { rows: await store.read('attempts', id) }
    },
    'deliveries.suggest': suggestions.read,
    'deliveries.counts': (input, { signal }) => countDeliveries(services, input, signal),
    'deliveries.matching': async ({ query, seqs }) => ({
      seqs: await store.read('matching', { query: readListQuery(services, query), seqs }),
    }),
    'deliveries.delete': (input, { signal }) => deleteDeliveries(services, input, signal),
    'deliveries.restore': async ({ deletion }) => ({ count: await retention.restore(deletion) }),
    'timeline.start': async () => ({ at: await store.read('earliestReceipt', null) }),
    'timeline.read': async ({ query = '', ...input }, { signal }) => {
      const parsed = query.trim() === '' ? null : readListQuery(services, query)
      return { bins: await store.search.timeline({ ...input, query: parsed }, signal) }
    },
    'statistics.read': async ({ query = '' }, { signal }) => {
      await store.settled()
      return store.search.statistics(readListQuery(services, query), signal)
    },
    'marks.set': async ({ ids, marks }) => {
      await store.settled()
      return { count: await retention.mark(ids, marks) }
    },
    'retention.preview': (limits, { signal }) => retention.preview(limits, signal),
    'storage.get': async () => ({ storage: await retention.storage() }),
  } satisfies Partial<Handlers>
}

async function readDelivery(
  services: Services,
  { id, masked }: HandlerInput<'deliveries.get'>,
): Promise<Delivery> {
  const { store } = services
  await store.settled()
  const delivery = await store.read('get', id)
  return withHook(services, maskedDelivery(delivery, await maskingOf(services, masked)))
}

const MOST_VALUE_CHARACTERS = 1_000

async function readValues(
  services: Services,
  { seqs, paths, masked }: HandlerInput<'deliveries.values'>,
): Promise<OutputOf<'deliveries.values'>> {
  const { store } = services
  const known = await maskingOf(services, masked)
  const rows = await store.read('bodyValues', { seqs, paths })
  const deliveries = known === withoutMasking ? [] : await store.read('deliveriesBySeq', seqs)
  const bySeq = new Map(deliveries.map((delivery) => [delivery.seq, delivery]))
  return {
    rows: rows.map(({ seq, values }) => {
      const delivery = bySeq.get(seq)
      const masking = delivery === undefined ? known : maskingFor(delivery, known)
      return {
        seq,
        values: values.map((text) =>
          text === null ? null : masking.text(text).slice(0, MOST_VALUE_CHARACTERS),
        ),
      }
    }),
  }
}

async function deleteDeliveries(
  services: Services,
  { ids, query, ...how }: HandlerInput<'deliveries.delete'>,
  signal: AbortSignal,
): Promise<OutputOf<'deliveries.delete'>> {
  if ((ids === undefined) === (query === undefined))
    throw new AppError('INVALID_INPUT', 'Use either delivery IDs or a query.')
  return services.retention.remove({
    ids,
    query: readActionQuery(services, query),
    listed: readListQuery(services, query),
    ...how,
    signal,
  })
}
