/**
 * Command handlers for stored deliveries: reading, marks, deletion, retention, export and import.
 */
import type { QueryCount } from '../../shared/contract/nouns/deliveries.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { readyJson } from '../../shared/rpc/ready-json.ts'
import { packSeqs } from '../../shared/rpc/seqs.ts'
import type { Query } from '../../shared/query/query.ts'
import { contentEncodings, ENCODING_BYTES, encodingInBytes } from '../../shared/body/encoding.ts'
import { systemClock } from '../base/system-clock.ts'
import { createMutex } from '../base/async.ts'
import { decodeBody } from '../base/decode-body.ts'
import { usualVolatileFields, volatileFieldsSchema } from '../../shared/diff/volatile-fields.ts'
import type { ComparisonOffer, VolatileList } from '../../shared/model/comparison.ts'
import { offersOf } from '../lifecycle/comparison-offers.ts'
import {
  MOST_SORTED,
  type Delivery,
  type DeliveryRow,
  type SortKey,
} from '../../shared/model/delivery.ts'
import type { Lifecycle } from '../../shared/model/lifecycle.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { describeAttempts } from '../lifecycle/attempts.ts'
import { gatherLifecycle } from '../lifecycle/lifecycle.ts'
import { readJsonSetting } from '../store/settings.ts'
import { MOST_CHECKED } from '../store/search/linked-deliveries.ts'
import type { StoredValues } from '../../shared/query/complete.ts'
import { hookNames } from '../../shared/query/meaning.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { MaskingKind } from '../../shared/contract/nouns/exchange.ts'
import { exportPiece } from '../import-export/exporter.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { maskingOf } from '../import-export/known-secrets.ts'
import { maskedDelivery, maskingFor } from '../import-export/masked-records.ts'
import { diagnoseDelivery, explainSignature } from './explain-signature.ts'
import { readActionQuery, readListQuery, type Services } from './services.ts'
import { verifyReported } from './reported.ts'

export function createDeliveryHandlers(services: Services) {
  const { store, hooks, keeping, importer } = services
  const read = (query?: string) => readListQuery(services, query)
  // Decoding one body at a time bounds the memory of parallel requests.
  const exclusive = createMutex()
  let suggestions: {
    readonly at: number
    readonly total: number
    readonly values: Promise<Omit<StoredValues, 'hooks' | 'environments'>>
  } | null = null

  /** Marks a delivery whose hook is deleted by now. */
  function withHook(delivery: Delivery): Delivery {
    const isDeleted = services.registry.byId(delivery.hookId ?? '')?.isActive === false
    return isDeleted ? { ...delivery, hookDeleted: true } : delivery
  }

  /** Reads deliveries in the order of their seqs. */
  async function readDeliveries(seqs: readonly number[], masked: MaskingKind): Promise<Delivery[]> {
    const bySeq = new Map(
      (await store.read('bySeq', seqs)).map((delivery) => [delivery.seq, delivery]),
    )
    const items = seqs.flatMap((seq) => bySeq.get(seq) ?? [])
    const masking = await maskingOf(services, masked)
    return items.map((delivery) => withHook(maskedDelivery(delivery, masking)))
  }

  async function maskingAbout({ ids, masked }: Omit<ParsedInputOf<'exchange.mask'>, 'value'>) {
    const deliveries = await Promise.all(ids.map((id) => store.read('get', id)))
    const knownMasking = await maskingOf(services, masked)
    return deliveries.reduce((masking, delivery) => maskingFor(delivery, masking), knownMasking)
  }

  return {
    'deliveries.list': async (
      { seqs: chosen, query, limit, before, after, identified, masked },
      { signal },
    ) => {
      const parsed = identified ? readActionQuery(services, query) : read(query)
      await store.settled()
      if (chosen !== undefined) return { items: await readDeliveries(chosen, masked) }
      // A client that continues from the last delivery must miss none, so the oldest come first.
      const oldestFirst = after !== undefined && before === undefined
      const low = after === undefined ? undefined : after + 1
      const high = before === undefined ? undefined : before - 1
      const [from, to] = oldestFirst ? [low, high] : [high, low]
      const seqs = await store.search.find(parsed, { from, to, oldestFirst, limit, signal })
      if (oldestFirst) seqs.reverse()
      return { items: await readDeliveries(seqs, masked) }
    },
    'deliveries.seqs': async ({ query, by, descending, ...place }, { signal }) => {
      const isByArrival =
        by === 'arrival' || (by === 'time' && !(await store.read('hasImported', null)))
      if (!isByArrival) {
        await store.settled()
        const newest = await store.read('newestSeq', null)
        const sorted = await sortedSeqs(services, { query: read(query), by, descending }, signal)
        if (sorted !== null || by !== 'time')
          return { seqs: sorted && packSeqs(sorted), next: null, newest }
      }
      const range = { ...place, oldestFirst: !descending, signal }
      const { seqs, ...found } = await store.search.findSome(read(query), range)
      return { seqs: packSeqs(seqs), ...found }
    },
    'deliveries.rows': async ({ seqs }) => {
      const bySeq = new Map((await store.read('rowsBySeq', seqs)).map((row) => [row.seq, row]))
      return { rows: seqs.flatMap((seq) => bySeq.get(seq) ?? []) }
    },
    'deliveries.page': async ({ query, limit }, { signal }) =>
      readyJson(`{"rows":${await store.search.page(read(query), limit, signal)}}`),
    'deliveries.get': async ({ id, masked }) => {
      await store.settled()
      return withHook(
        maskedDelivery(await store.read('get', id), await maskingOf(services, masked)),
      )
    },
    'deliveries.body': async ({ id, offset, length }) => {
      const { seq } = await store.read('get', id)
      const { bytes, size } = await store.read('body', { seq, offset, length })
      return { offset, size, base64: Buffer.from(bytes).toString('base64') }
    },
    'deliveries.signature': ({ id }, { signal }) => explainSignature(services, id, signal),
    'deliveries.diagnose': async (input, { signal }) => {
      if (input.secret === undefined && input.url === undefined)
        await services.lateVerdicts.judge(input.id)
      return diagnoseDelivery(services, input, signal)
    },
    'deliveries.schema': async ({ id }) => {
      await store.settled()
      return store.read('schema', id)
    },
    'deliveries.attempts': async ({ id }) => {
      await store.settled()
      return { rows: await store.read('attempts', id) }
    },
    'bodies.decoded': ({ id, offset, length }) =>
      exclusive(async () => {
        const { seq, headers } = await store.read('get', id)
        const named = contentEncodings(headers)
        const beginning = await store.read('body', { seq, offset: 0, length: ENCODING_BYTES })
        // Decoding starts at the first byte; other bodies are read in pieces.
        const isPlain = named.length === 0 && encodingInBytes(beginning.bytes) === null
        const stored = await store.read('body', isPlain ? { seq, offset, length } : { seq })
        const { encodings, bytes, size, end, problem } = isPlain
          ? ({ ...stored, encodings: [], end: 'whole', problem: null } as const)
          : await decodeBody(stored.bytes, named, { offset, length })
        return {
          encodings: [...encodings],
          offset,
          size,
          receivedSize: stored.size,
          base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
          end,
          problem,
        }
      }),
    'bodies.newFields': async ({ id }) => {
      await store.settled()
      return { paths: await store.search.read('newFields', id) }
    },
    'compare.offers': ({ deliveryId }) => findOffers(services, deliveryId),
    'compare.neighbour': async ({ deliveryId, by }) => {
      await store.settled()
      return { row: await store.read('neighbour', { ref: deliveryId, by }) }
    },
    'compare.volatile': async ({ hookId }) => {
      const fields = await readJsonSetting(store, settingOf(hookId), volatileFieldsSchema)
      return fields === null ? DEFAULT_VOLATILE : { fields, isOwn: true }
    },
    'compare.setVolatile': async ({ hookId, fields }) => {
      await store.write('writeSetting', {
        name: settingOf(hookId),
        value: fields === null ? '' : JSON.stringify(fields),
      })
      return fields === null ? DEFAULT_VOLATILE : { fields, isOwn: true }
    },
    'lifecycle.get': ({ deliveryId }) => readLifecycle(services, deliveryId),
    'lifecycle.attempts': async ({ deliveryId }) => {
      await store.settled()
      const rows = await store.read('attempts', deliveryId)
      const deliveries = await store.read(
        'bySeq',
        rows.map(({ seq }) => seq),
      )
      return {
        attempts: describeAttempts(deliveries.toReversed(), (row) => isAcknowledged(services, row)),
      }
    },
    'timeline.start': async () => ({ at: await store.read('earliestReceipt', null) }),
    'timeline.read': async ({ query = '', ...input }, { signal }) => ({
      bins: await store.search.timeline(
        { ...input, query: query.trim() === '' ? null : read(query) },
        signal,
      ),
    }),
    'statistics.read': async ({ query = '' }, { signal }) => {
      await store.settled()
      return store.search.statistics(read(query), signal)
    },
    'deliveries.suggest': async () => {
      const total = store.total()
      const now = services.now()
      if (suggestions === null || (suggestions.total !== total && now - suggestions.at > SUGGESTIONS_MS))
        suggestions = { at: now, total, values: store.read('storedValues', null) }
      const values = await suggestions.values.catch((error: unknown) => {
        suggestions = null
        throw error
      })
      return {
        ...values,
        environments: services.environments.all().map(({ name }) => name),
        hooks: [...new Set(hooks.list().map((hook) => hookNames(hook)[0] ?? hook.id))],
      }
    },
    'deliveries.counts': async ({ queries, most, patience }, { signal }) => {
      const until = systemClock.monotonic() + patience
      const total = store.total()
      const counts: (QueryCount | null)[] = []
      for (const [place, text] of queries.entries()) {
        const query = queryOrNull(services, text)
        // Leaves each query its share of the time.
        const withinMs = Math.max(0, until - systemClock.monotonic()) / (queries.length - place)
        counts.push(
          query === null ? null : await store.search.count({ query, most, withinMs }, signal),
        )
      }
      return { counts, total }
    },
    'deliveries.matching': async ({ query, seqs }) => ({
      seqs: await store.read('matching', {
        query: readListQuery(services, query),
        seqs,
      }),
    }),
    'exchange.export': (piece, { signal }) => exportPiece(services, { ...piece, signal }),
    'exchange.mask': async ({ value, ...about }) => ({
      value: (await maskingAbout(about)).texts(value),
    }),
    'exchange.places': async ({ text, isCut, ...about }) => ({
      places: [...(await maskingAbout(about)).places(text, isCut)],
    }),
    'exchange.import': importer.add,
    'exchange.verify': (input, { signal }) => verifyReported(services, input, signal),
    'marks.set': async ({ ids, marks }) => {
      await store.settled()
      return { count: await keeping.mark(ids, marks) }
    },
    'deliveries.delete': async ({ ids, query, ...how }, { signal }) => {
      if ((ids === undefined) === (query === undefined))
        throw new AppError('INVALID_INPUT', 'Use either delivery IDs or a query.')
      return keeping.remove({
        ids,
        query: readActionQuery(services, query),
        listed: readListQuery(services, query),
        ...how,
        signal,
      })
    },
    'deliveries.restore': async ({ deletion }) => ({ count: await keeping.restore(deletion) }),
    'retention.preview': (limits, { signal }) => keeping.preview(limits, signal),
    'storage.get': async () => ({ storage: await keeping.storage() }),
  } satisfies Partial<Handlers>
}

interface SortedInput {
  readonly query: Query
  readonly by: SortKey
  readonly descending: boolean
}

/** Resolves with matching seqs in the order of a column; null if too many match. */
export async function sortedSeqs(
  { store }: Pick<Services, 'store'>,
  { query, by, descending }: SortedInput,
  signal: AbortSignal,
): Promise<number[] | null> {
  const seqs = await store.search.find(query, { limit: MOST_SORTED + 1, signal })
  if (seqs.length > MOST_SORTED) return null
  signal.throwIfAborted()
  return store.read('sort', { seqs, by, descending })
}

function settingOf(hookId: string | null): string {
  return `compare.volatile.${hookId ?? 'no-hook'}`
}

const DEFAULT_VOLATILE: VolatileList = { fields: usualVolatileFields, isOwn: false }

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
      linked: (link) => store.search.read('linked', link),
      count: (link) => store.search.read('linkCount', link),
      unlinked: () => {
        const { left } = store.search.status()
        return left > MOST_CHECKED ? { left, of: store.total() } : null
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

/** Minimum age of suggestions before a refresh while deliveries arrive, in milliseconds. */
const SUGGESTIONS_MS = 2_000

function queryOrNull(services: Services, text: string): Query | null {
  try {
    return readListQuery(services, text)
  } catch {
    return null
  }
}
