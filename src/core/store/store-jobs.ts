/** The reader thread's jobs: lists, searches, counts, single deliveries, and describing payloads. It never writes. */
import type { Query } from '../../shared/query/query.ts'
import {
  checkRunBefore,
  listCheckRuns,
  readCheckRun,
  listFlowRuns,
  readFlowRun,
  putCheckRun,
  type WholeCheck,
  putFlowDeliveries,
  type FlowDeliveries,
  putFlowRun,
  type KeptRun,
} from './runs-repo.ts'
import {
  attemptsOf,
  countUpTo,
  deliveriesBySeq,
  getDelivery,
  neighbourOf,
  newestSeq,
  readStoredBody,
  rowsBySeq,
  rowsText,
  sortSeqs,
  isDescribed,
} from './deliveries-repo.ts'
import {
  checkPages,
  openForReading,
  type ReadableDb,
  openForWriting,
  type StoreOptions,
  type WritableDb,
  withReserve,
  fillReserve,
} from './open.ts'
import {
  listHooks,
  addHookSecret,
  deleteHook,
  insertHook,
  readHookUse,
  updateHook,
  type StoredHook,
  listEnvironments,
  deleteEnvironment,
  putEnvironment,
  type StoredEnvironment,
  listSandboxObjects,
  deleteSandboxObject,
  putSandboxObject,
  type StoredSandboxObject,
  readForeignSeals,
  replaceSeals,
  readClearHeaders,
  replaceClearHeaders,
  type SealedHeaders,
} from './hooks.ts'
import { listHandlers, readHandlerPage, putHandlers, type StoredHandler } from './handlers.ts'
import {
  matchClaims,
  undiagnosed,
  unsignedWith,
  type ClaimsInput,
  putCauses,
  putJudgedAgain,
  verifyClaims,
  type Cause,
  type JudgedAgain,
  type ProvedClaim,
} from './claims-repo.ts'
import { startRead } from './statements.ts'
import { knownIds, prepareIngest, type IngestRow } from './ingest-repo.ts'
import type { ObjectLink } from '../lifecycle/facts.ts'
import {
  nextQueued,
  queueCounts,
  routeNext,
  type ForwardRoute,
  listTargets,
  dropWaiting,
  reviveQueues,
  waitAgain,
  type Drop,
  beginForward,
  releaseForward,
  type BegunSend,
  enqueue,
  type Enqueue,
  putTarget,
  removeTarget,
  type StoredTarget,
} from './forward.ts'
import {
  readForgotten,
  readLeavings,
  hideDeliveries,
  prepareRemoval,
  unhideDeliveries,
  type RemovalBatch,
  fileUse,
  oldestUnpinned,
  returnPages,
  vacuum,
  writeBackLog,
} from './deletion.ts'
import {
  countPinned,
  findMarked,
  readSetting,
  writeSetting,
  setMarks,
  type MarksBatch,
} from './settings.ts'
import {
  cancelJob,
  deliveriesToSend,
  endJob,
  giveUpSends,
  hooksOfJob,
  hooksToSend,
  insertJob,
  listJobs,
  prepareSends,
  readJob,
  readJobBody,
  readJobState,
  readPlan,
  readSend,
  recentTargets,
  reviveJob,
  sendsBySeq,
  sendsOfDelivery,
  sendsOfJob,
  sendsOfTarget,
  touchJob,
  underWay,
  unsettledJobs,
  type NewJob,
  type Revival,
  type SendsBatch,
  type SendsOfJob,
} from './sends.ts'
import { countMatches, find, type CountInput, type FindInput } from './search/finder.ts'
import {
  attachSearch,
  detachSearch,
  dropIndexChanges,
  noteIndexChanges,
} from './search/open-search.ts'
import { countLinks, linkedDeliveries, newFields } from './search/payloads.ts'
import {
  earliestReceipt,
  readReplayStatistics,
  readStatistics,
  readTimeline,
  type TimelineInput,
} from './timeline-repo.ts'
import type { ListedSend, Send } from '../../shared/model/send.ts'
import { whereOf } from './query-sql.ts'
import type { SchemaReport } from '../../shared/model/delivery.ts'
import type { checkPayload } from '../../shared/service/payload.ts'
import type { OpenJobs } from '../base/threads/job-thread.ts'
import { prepareDescribing, settleResponses, type DescribeBatch } from './describe-repo.ts'
import type { FlowRun } from '../../shared/model/flow.ts'
import type { SealedSecret } from '../base/deps.ts'
import { findRowProblems, isBodyAltered } from './rows.ts'

/** Loaded on first use: schemas take most of the time that a thread takes to start, and most cores open to run one command. */
const payloads = () => import('../../shared/service/payload.ts')

export const readerJobs = {
  find: (db: ReadableDb, input: FindInput) => find(db, input),
  count: (db: ReadableDb, input: CountInput) => countMatches(db, input),
  attachSearch: (db: ReadableDb, file: string) => attachSearch(db, file),
  detachSearch: (db: ReadableDb, _: null) => detachSearch(db),
  timeline: (db: ReadableDb, input: TimelineInput) => readTimeline(db, input),
  statistics: (db: ReadableDb, query: Query) => readStatistics(db, query),
  replayStatistics: (db: ReadableDb, jobId: string) => readReplayStatistics(db, jobId),
  earliestReceipt: (db: ReadableDb, _: null) => earliestReceipt(db),
  clearHeaders: (db: ReadableDb, _: null) => readClearHeaders(db),
  foreignSeals: (db: ReadableDb, backend: string) => readForeignSeals(db, backend),
  countUpTo: (db: ReadableDb, seq: number) => countUpTo(db, seq),
  checkPages: (db: ReadableDb, _: null) => checkPages(db),
  checkRows: (db: ReadableDb, _: null) => findRowProblems(db),
  newestSeq: (db: ReadableDb, _: null) => newestSeq(db),
  get: (db: ReadableDb, ref: string) => {
    const delivery = getDelivery(db, ref)
    return { ...delivery, bodyAltered: isBodyAltered(db, delivery.seq) }
  },
  bySeq: (db: ReadableDb, seqs: readonly number[]) => deliveriesBySeq(db, seqs),
  rowsBySeq: (db: ReadableDb, seqs: readonly number[]) => rowsBySeq(db, seqs),
  rowsText: (db: ReadableDb, seqs: readonly number[]) => rowsText(db, seqs),
  sort: (db: ReadableDb, input: Parameters<typeof sortSeqs>[1]) => sortSeqs(db, input),
  body: (db: ReadableDb, input: { seq: number; offset: number; length: number }) =>
    readStoredBody(db, input),
  attempts: (db: ReadableDb, ref: string) => attemptsOf(db, ref),
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
  oldestUnpinned: (db: ReadableDb, input: { after: number; limit: number }) =>
    oldestUnpinned(db, input),
  fileUse: (db: ReadableDb, _: null) => fileUse(db),
  isDescribed: (db: ReadableDb, _: null) => isDescribed(db),
  hooks: (db: ReadableDb, _: null) => listHooks(db),
  hookUse: (db: ReadableDb, id: string) => readHookUse(db, id),
  handlers: (db: ReadableDb, _: null) => listHandlers(db),
  handlerPage: (db: ReadableDb, input: Parameters<typeof readHandlerPage>[1]) =>
    readHandlerPage(db, input),
  environments: (db: ReadableDb, _: null) => listEnvironments(db),
  setting: (db: ReadableDb, name: string) => readSetting(db, name),
  matching: (db: ReadableDb, input: { query: Query; seqs: readonly number[] }) =>
    matchingSeqs(db, input),
  storedValues: async (db: ReadableDb, _: null) =>
    (await import('./stored-values.ts')).storedValues(db),
  replayJob: (db: ReadableDb, id: string) => readJob(db, id),
  replayBody: (db: ReadableDb, jobId: string) => readJobBody(db, jobId),
  replayTargets: (db: ReadableDb, limit: number) => recentTargets(db, limit),
  replayJobs: (db: ReadableDb, limit: number) => listJobs(db, limit),
  replayState: (db: ReadableDb, id: string) => readJobState(db, id),
  replayUnsettled: (db: ReadableDb, _: null) => unsettledJobs(db),
  replayHooks: (db: ReadableDb, jobId: string) => hooksOfJob(db, jobId),
  replayPlan: (db: ReadableDb, jobId: string) => readPlan(db, jobId),
  hooksToSend: (db: ReadableDb, seqs: readonly number[]) => hooksToSend(db, seqs),
  deliveriesToSend: (db: ReadableDb, seqs: readonly number[]) => deliveriesToSend(db, seqs),
  replayUnderWay: (db: ReadableDb, jobId: string) => underWay(db, jobId),
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
  /** The longest read, in milliseconds. */
  readonly limitMs: number
}

/** Opens the database, which the writer has migrated, for reading. */
export function openReader({ file, limitMs }: ReaderData): OpenJobs<ReadableDb, ReaderJobs> {
  const db = openForReading(file)
  return {
    tools: db,
    jobs: readerJobs,
    starts: (isCancelled) => startRead(db, { limitMs, isCancelled }),
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

// The writer thread's jobs: all writing to the database, and nothing else.

export type WriterTools = ReturnType<typeof createWriterTools>

export function createWriterTools(db: WritableDb) {
  return {
    db,
    ingest: prepareIngest(db),
    describing: prepareDescribing(db),
    sends: prepareSends(db),
    remove: prepareRemoval(db),
  }
}

export const writerJobs = {
  /** `rows` as JSON: copying them as objects takes twice as long. */
  ingest(tools: WriterTools, batch: { readonly rows: string; readonly bodies: ArrayBuffer }) {
    const rows = JSON.parse(batch.rows) as IngestRow[]
    tools.describing.take(rows, tools.ingest({ rows, bodies: batch.bodies }))
  },
  describe: async ({ describing }: WriterTools, batch: DescribeBatch) =>
    describing.describe(batch, (await payloads()).describePayload),
  putJudgedAgain: ({ db }: WriterTools, judged: readonly JudgedAgain[]) =>
    putJudgedAgain(db, judged),
  verifyClaims: ({ db }: WriterTools, proved: readonly ProvedClaim[]) => verifyClaims(db, proved),
  putCauses: ({ db }: WriterTools, causes: readonly Cause[]) => putCauses(db, causes),
  noteIndexChanges: ({ db }: WriterTools, seqs: readonly number[]) =>
    withReserve(db, () => noteIndexChanges(db, seqs)),
  dropIndexChanges: ({ db }: WriterTools, ids: readonly number[]) => dropIndexChanges(db, ids),
  setMarks: ({ db }: WriterTools, batch: MarksBatch) => setMarks(db, batch),
  hide: ({ db }: WriterTools, input: { seqs: readonly number[]; at: number }) =>
    withReserve(db, () => hideDeliveries(db, input)),
  unhide: ({ db }: WriterTools, seqs: readonly number[]) =>
    withReserve(db, () => unhideDeliveries(db, seqs)),
  remove: ({ db, remove }: WriterTools, removal: RemovalBatch) =>
    withReserve(db, () => remove(removal)),
  returnPages: ({ db }: WriterTools, budgetMs: number) =>
    withReserve(db, () => returnPages(db, budgetMs)),
  vacuum: ({ db }: WriterTools, _: null) => vacuum(db),
  writeBackLog: ({ db }: WriterTools, _: null) => {
    fillReserve(db)
    withReserve(db, () => writeBackLog(db))
  },
  insertHook: ({ db }: WriterTools, hook: StoredHook) => insertHook(db, hook),
  updateHook: ({ db }: WriterTools, hook: StoredHook) => updateHook(db, hook),
  deleteHook: ({ db }: WriterTools, id: string) => deleteHook(db, id),
  sealHeaders: ({ db }: WriterTools, sealed: SealedHeaders) => replaceClearHeaders(db, sealed),
  replaceSeals: ({ db }: WriterTools, changes: Parameters<typeof replaceSeals>[1]) =>
    replaceSeals(db, changes),
  addHookSecret: (
    { db }: WriterTools,
    input: { hookId: string; secret: SealedSecret; createdAt: number },
  ) => addHookSecret(db, input),
  putHandlers: ({ db }: WriterTools, handlers: readonly StoredHandler[]) =>
    putHandlers(db, handlers),
  putEnvironment: ({ db }: WriterTools, environment: StoredEnvironment) =>
    putEnvironment(db, environment),
  deleteEnvironment: ({ db }: WriterTools, name: string) => deleteEnvironment(db, name),
  writeSetting: ({ db }: WriterTools, setting: { name: string; value: string }) =>
    writeSetting(db, setting),
  insertReplayJob: ({ db }: WriterTools, job: NewJob) => insertJob(db, job),
  reviveReplayJob: ({ db }: WriterTools, revival: Revival) => reviveJob(db, revival),
  touchReplayJob: ({ db }: WriterTools, input: { id: string; at: number }) => touchJob(db, input),
  cancelReplayJob: ({ db }: WriterTools, id: string) => cancelJob(db, id),
  giveUpReplaySends: ({ db }: WriterTools, input: Parameters<typeof giveUpSends>[1]) =>
    giveUpSends(db, input),
  endReplayJob: ({ db }: WriterTools, input: Parameters<typeof endJob>[1]) => endJob(db, input),
  sends: ({ sends }: WriterTools, batch: SendsBatch) => sends(batch),
  forwardPut: ({ db }: WriterTools, target: StoredTarget) => putTarget(db, target),
  forwardRemove: ({ db }: WriterTools, input: { id: string; reason: string }) =>
    removeTarget(db, input),
  forwardDrop: ({ db }: WriterTools, drop: Drop) => dropWaiting(db, drop),
  forwardEnqueue: ({ db }: WriterTools, input: Enqueue) => enqueue(db, input),
  forwardBegin: ({ db }: WriterTools, send: BegunSend) => beginForward(db, send),
  forwardRelease: ({ db }: WriterTools, seq: number) => releaseForward(db, seq),
  forwardAgain: ({ db }: WriterTools, input: Parameters<typeof waitAgain>[1]) =>
    waitAgain(db, input),
  forwardRevive: ({ db }: WriterTools, _: null) => reviveQueues(db),
  putCheckRun: ({ db }: WriterTools, check: WholeCheck) => putCheckRun(db, check),
  putFlowRun: ({ db }: WriterTools, kept: KeptRun<FlowRun>) => putFlowRun(db, kept),
  flowDeliveries: ({ db }: WriterTools, deliveries: FlowDeliveries) =>
    putFlowDeliveries(db, deliveries),
  putSandboxObject: ({ db }: WriterTools, object: StoredSandboxObject) =>
    putSandboxObject(db, object),
  deleteSandboxObject: ({ db }: WriterTools, key: { kind: string; id: string }) =>
    deleteSandboxObject(db, key),
  /** The connection's own durability setting, read after the first write, when WAL mode would have lowered it. */
  durability: ({ db }: WriterTools, _: null) => ({
    journalMode: db.pragma('journal_mode', { simple: true }) as string,
    synchronous: db.pragma('synchronous', { simple: true }) as number,
  }),
} as const

export type WriterJobs = typeof writerJobs

export interface WriterData {
  readonly file: string
  readonly options: StoreOptions
}

/** Opens the database for its only writer. */
export function openWriter({ file, options }: WriterData): OpenJobs<WriterTools, WriterJobs> {
  const db = openForWriting(file, options)
  return {
    tools: createWriterTools(db),
    jobs: writerJobs,
    close() {
      settleResponses(db)
      db.close()
    },
  }
}
