/** The reader thread's jobs: lists, searches, counts, single deliveries, and describing payloads. It never writes. */
import type { Query } from '../../shared/query/query.ts'
import { readClearHeaders } from './clear-headers-repo.ts'
import {
  checkRunBefore,
  listCheckRuns,
  readCheckRun,
  listFlowRuns,
  readFlowRun,
} from './runs-repo.ts'
import {
  attemptsOf,
  countUpTo,
  deliveriesBySeq,
  getDelivery,
  neighbourOf,
  newestSeq,
  readStoredBody,
  readUndescribed,
  rowsBySeq,
  rowsText,
  sortSeqs,
  undescribedSeqs,
  undetailedSeqs,
  type Undescribed,
} from './deliveries-repo.ts'
import { checkPages } from './damaged.ts'
import { listEnvironments, readSetting } from './environments-repo.ts'
import { listHooks } from './hooks-repo.ts'
import { listHandlers, readHandlerPage } from './handlers-repo.ts'
import { matchClaims, undiagnosed, unsignedWith, type ClaimsInput } from './claims-repo.ts'
import { knownIds } from './ingest-repo.ts'
import type { ObjectLink } from '../lifecycle/named-objects.ts'
import {
  nextQueued,
  queueCounts,
  routeNext,
  type ForwardRoute,
  listTargets,
} from './forward-repo.ts'
import { readForgotten, readLeavings } from './deletion-repo.ts'
import { countPinned, findMarked } from './marks-repo.ts'
import { openForReading, type ReadableDb } from './open.ts'
import { preparingJobs } from './new-jobs-repo.ts'
import {
  hooksOfJob,
  listJobs,
  readJob,
  readJobBody,
  readJobState,
  recentTargets,
  underWay,
  unsettledJobs,
} from './replay-jobs-repo.ts'
import { fileUse, oldestUnpinned } from './storage-repo.ts'
import { listSandboxObjects } from './sandbox-repo.ts'
import { anchorsOf, type AnchorsInput, find, findPage, type FindInput } from './search/finder.ts'
import { attachSearch, detachSearch } from './search/open-search.ts'
import { countLinks, linkedDeliveries } from './search/linked.ts'
import { countOlder } from './search/older.ts'
import { newFields } from './search/seen-fields.ts'
import { readForeignSeals } from './seals-repo.ts'
import {
  readSend,
  sendsBySeq,
  sendsOfDelivery,
  sendsOfJob,
  sendsOfTarget,
  type SendsOfJob,
} from './sends-repo.ts'
import {
  earliestReceipt,
  readReplayStatistics,
  readStatistics,
  readTimeline,
  type ReplayStatisticsInput,
  type StatisticsInput,
  type TimelineInput,
} from './timeline-repo.ts'
import { kindsToSend, waitingSends } from './waiting-sends.ts'
import type { ListedSend, Send } from '../../shared/model/send.ts'
import { whereOf } from './query-sql.ts'
import type { SchemaReport } from '../../shared/model/delivery.ts'
import type { checkPayload, describePayload, PayloadDetails } from '../../shared/service/payload.ts'
import type { OpenJobs } from '../base/threads/job-thread.ts'
import { collectAfter, releaseMemory } from '../base/threads/memory.ts'
import type { DescriptionRow } from './describe-repo.ts'

/** Loaded on first use: schemas take most of the time that a thread takes to start, and most cores open to run one command. */
const payloads = () => import('../../shared/service/payload.ts')

export const readerJobs = {
  anchors: (db: ReadableDb, input: AnchorsInput) => anchorsOf(db, input),
  find: (db: ReadableDb, input: FindInput) => find(db, input),
  findPage: (db: ReadableDb, input: FindInput & { readonly limit: number }) => findPage(db, input),
  attachSearch: (db: ReadableDb, file: string) => attachSearch(db, file),
  detachSearch: (db: ReadableDb, _: null) => detachSearch(db),
  timeline: (db: ReadableDb, input: TimelineInput) => readTimeline(db, input),
  statistics: (db: ReadableDb, input: StatisticsInput) => readStatistics(db, input),
  replayStatistics: (db: ReadableDb, input: ReplayStatisticsInput) =>
    readReplayStatistics(db, input),
  earliestReceipt: (db: ReadableDb, _: null) => earliestReceipt(db),
  clearHeaders: (db: ReadableDb, _: null) => readClearHeaders(db),
  foreignSeals: (db: ReadableDb, backend: string) => readForeignSeals(db, backend),
  countUpTo: (db: ReadableDb, seq: number) => countUpTo(db, seq),
  checkPages: (db: ReadableDb, _: null) => checkPages(db),
  newestSeq: (db: ReadableDb, _: null) => newestSeq(db),
  get: (db: ReadableDb, ref: string) => getDelivery(db, ref),
  bySeq: (db: ReadableDb, seqs: readonly number[]) => deliveriesBySeq(db, seqs),
  rowsBySeq: (db: ReadableDb, seqs: readonly number[]) => rowsBySeq(db, seqs),
  rowsText: (db: ReadableDb, seqs: readonly number[]) => rowsText(db, seqs),
  sort: (db: ReadableDb, input: Parameters<typeof sortSeqs>[1]) => sortSeqs(db, input),
  body: (db: ReadableDb, input: { seq: number; offset: number; length: number }) =>
    readStoredBody(db, input),
  attempts: (db: ReadableDb, ref: string) => attemptsOf(db, ref),
  describe: async (db: ReadableDb, seqs: readonly number[]) => {
    const { describePayload } = await payloads()
    return describePayloads(readUndescribed(db, seqs), describePayload)
  },
  schema: async (db: ReadableDb, ref: string) =>
    reportSchema(db, ref, (await payloads()).checkPayload),
  newFields: (db: ReadableDb, ref: string) => newFields(db, ref),
  neighbour: (db: ReadableDb, input: { ref: string; by: 1 | -1 }) => neighbourOf(db, input),
  linked: (db: ReadableDb, input: ObjectLink & { limit: number }) => linkedDeliveries(db, input),
  linkCount: (db: ReadableDb, input: ObjectLink & { most: number }) => countLinks(db, input),
  leavings: (db: ReadableDb, input: { before: number; limit: number }) => readLeavings(db, input),
  forgotten: (db: ReadableDb, _: null) => readForgotten(db),
  matchClaims: async (db: ReadableDb, input: ClaimsInput) =>
    matchClaims(db, input, (await payloads()).checkPayload),
  unsignedWith: (db: ReadableDb, input: Parameters<typeof unsignedWith>[1]) =>
    unsignedWith(db, input),
  undiagnosed: (db: ReadableDb, input: Parameters<typeof undiagnosed>[1]) => undiagnosed(db, input),
  knownIds: (db: ReadableDb, ids: readonly string[]) => knownIds(db, ids),
  marked: (db: ReadableDb, input: Parameters<typeof findMarked>[1]) => findMarked(db, input),
  pinned: (db: ReadableDb, _: null) => countPinned(db),
  countOlder: (db: ReadableDb, before: number) => countOlder(db, before),
  oldestUnpinned: (db: ReadableDb, input: { after: number; limit: number }) =>
    oldestUnpinned(db, input),
  fileUse: (db: ReadableDb, _: null) => fileUse(db),
  undetailed: (db: ReadableDb, limit: number) => undetailedSeqs(db, limit),
  undescribed: (db: ReadableDb, _: null) => undescribedSeqs(db),
  hooks: (db: ReadableDb, _: null) => listHooks(db),
  handlers: (db: ReadableDb, _: null) => listHandlers(db),
  handlerPage: (db: ReadableDb, input: Parameters<typeof readHandlerPage>[1]) =>
    readHandlerPage(db, input),
  environments: (db: ReadableDb, _: null) => listEnvironments(db),
  setting: (db: ReadableDb, name: string) => readSetting(db, name),
  matching: (db: ReadableDb, input: { query: Query; seqs: readonly number[] }) =>
    matchingSeqs(db, input),
  storedValues: async (db: ReadableDb, _: null) =>
    (await import('./stored-values-repo.ts')).storedValues(db),
  replayJob: (db: ReadableDb, id: string) => readJob(db, id),
  replayBody: (db: ReadableDb, jobId: string) => readJobBody(db, jobId),
  replayTargets: (db: ReadableDb, limit: number) => recentTargets(db, limit),
  replayJobs: (db: ReadableDb, limit: number) => listJobs(db, limit),
  replayState: (db: ReadableDb, id: string) => readJobState(db, id),
  replayUnsettled: (db: ReadableDb, _: null) => unsettledJobs(db),
  replayHooks: (db: ReadableDb, jobId: string) => hooksOfJob(db, jobId),
  kindsToSend: (db: ReadableDb, seqs: readonly number[]) => kindsToSend(db, seqs),
  replayUnderWay: (db: ReadableDb, jobId: string) => underWay(db, jobId),
  preparingReplays: (db: ReadableDb, _: null) => preparingJobs(db),
  waitingSends: (db: ReadableDb, input: { jobId: string; after: number; limit: number }) =>
    waitingSends(db, input),
  sendsOfJob: (db: ReadableDb, input: SendsOfJob) => listed(db, sendsOfJob(db, input)),
  sendsOfDelivery: (db: ReadableDb, input: { deliverySeq: number; limit: number }) =>
    sendsOfDelivery(db, input),
  send: (db: ReadableDb, id: string) => readSend(db, id),
  forwardTargets: (db: ReadableDb, _: null) => listTargets(db),
  forwardRoute: (db: ReadableDb, routes: readonly ForwardRoute[]) => routeNext(db, routes),
  forwardQueued: (
    db: ReadableDb,
    input: { targetId: string; busy: readonly string[]; limit: number },
  ) => nextQueued(db, input),
  forwardCounts: (db: ReadableDb, _: null) => queueCounts(db),
  forwardSends: (db: ReadableDb, input: { id: string; limit: number }) =>
    listed(db, sendsOfTarget(db, input)),
  forwardSent: (db: ReadableDb, seqs: readonly number[]) => listed(db, sendsBySeq(db, seqs)),
  checkRun: (db: ReadableDb, id: string) => readCheckRun(db, id),
  checkRuns: (db: ReadableDb, limit: number) => listCheckRuns(db, limit),
  checkRunBefore: (db: ReadableDb, input: { id: string; target: string }) =>
    checkRunBefore(db, input),
  flowRuns: (db: ReadableDb, input: { flow: string | undefined; limit: number }) =>
    listFlowRuns(db, input),
  flowRun: (db: ReadableDb, id: string) => readFlowRun(db, id),
  sandboxObjects: (db: ReadableDb, _: null) => listSandboxObjects(db),
} as const

export type ReaderJobs = typeof readerJobs

export interface ReaderData {
  readonly file: string
}

/** Opens the database, which the writer has migrated, for reading. */
export function openReader({ file }: ReaderData): OpenJobs<ReadableDb, ReaderJobs> {
  const db = openForReading(file)
  return {
    tools: db,
    jobs: readerJobs,
    close() {
      db.close()
    },
  }
}

/** The same sends in the same order, without those whose delivery was deleted in the meantime. */
function listed(db: ReadableDb, sends: readonly Send[]): ListedSend[] {
  const rows = db
    .prepare<[string], { id: string; event: string | null; receivedAt: number }>(
      'SELECT id, event, received_at AS receivedAt FROM deliveries WHERE id IN (SELECT value FROM json_each(?))',
    )
    .all(JSON.stringify([...new Set(sends.map(({ deliveryId }) => deliveryId))]))
  const deliveries = new Map(rows.map((row) => [row.id, row]))
  return sends.flatMap((send) => {
    const delivery = deliveries.get(send.deliveryId)
    if (delivery === undefined) return []
    return [
      { ...send, event: delivery.event, receivedAt: new Date(delivery.receivedAt).toISOString() },
    ]
  })
}

/** Which of some deliveries match a query: to mark rows that are shown anyway. */
export function matchingSeqs(
  db: ReadableDb,
  { query, seqs }: { readonly query: Query; readonly seqs: readonly number[] },
): number[] {
  const { sql, values } = whereOf(query)
  return db
    .prepare<unknown[], number>(
      `SELECT d.seq FROM deliveries d WHERE d.seq IN (SELECT value FROM json_each(?)) AND d.seq NOT IN (SELECT seq FROM deleted) AND ${sql}`,
    )
    .pluck()
    .all(JSON.stringify(seqs), ...values)
}

// Describes payloads in the reader's thread: schema errors, and the event if no signature identifies one.

const NO_DETAILS: PayloadDetails = {
  amount: null,
  currency: null,
  merchant: null,
  schemaErrors: null,
}

/**
 * Describes deliveries in order and then drops their bytes. Malformed or truncated deliveries have no schema and no event: their
 * bytes aren't a payload.
 */
export function describePayloads(
  deliveries: Iterable<Undescribed>,
  describe: typeof describePayload,
): DescriptionRow[] {
  return Array.from(deliveries, ({ seq, event, truncated, malformed, bytes }) => {
    const description =
      malformed || truncated
        ? { schema: 'unknown' as const, events: null, details: NO_DETAILS }
        : describe(event, bytes)
    const size = bytes.length
    releaseMemory(bytes)
    collectAfter(size)
    return { seq, ...description }
  })
}

/** Checks one delivery's payload. Malformed or truncated deliveries have no results: their bytes aren't a payload. */
function reportSchema(db: ReadableDb, ref: string, check: typeof checkPayload): SchemaReport {
  const { seq, event, environment, mode, truncated, malformed, bodySize } = getDelivery(db, ref)
  if (truncated || malformed !== null)
    return { event, outcome: 'unknown', failures: [], findings: [] }
  const { bytes } = readStoredBody(db, { seq, offset: 0, length: bodySize })
  const { outcome, failures, findings } = check(
    event,
    bytes,
    environment === null || mode === null ? null : { environment, mode },
  )
  return { event, outcome, failures: [...failures], findings: [...findings] }
}
