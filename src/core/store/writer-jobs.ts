/** The writer thread's jobs: all writing to the database, and nothing else. */
import type { OpenJobs } from '../base/threads/job-thread.ts'
import {
  deleteEnvironment,
  putEnvironment,
  writeSetting,
  type StoredEnvironment,
} from './environments-repo.ts'
import {
  putCauses,
  putJudgedAgain,
  verifyClaims,
  type Cause,
  type JudgedAgain,
  type ProvedClaim,
} from './claims-repo.ts'
import {
  putCheckRun,
  type WholeCheck,
  putFlowDeliveries,
  type FlowDeliveries,
  putFlowRun,
  type KeptRun,
} from './runs-repo.ts'
import { replaceClearHeaders, type SealedHeaders } from './clear-headers-repo.ts'
import { returnPages, vacuum, writeBackLog } from './storage-repo.ts'
import {
  hideDeliveries,
  prepareRemoval,
  unhideDeliveries,
  type RemovalBatch,
} from './deletion-repo.ts'
import {
  prepareDescribe,
  prepareFillIn,
  settleResponses,
  type DescribeBatch,
  type DetailsBatch,
} from './describe-repo.ts'
import {
  dropWaiting,
  reviveQueues,
  waitAgain,
  type Drop,
  enqueue,
  type Enqueue,
  putTarget,
  removeTarget,
  type StoredTarget,
} from './forward-repo.ts'
import { putHandlers, type StoredHandler } from './handlers-repo.ts'
import type { FlowRun } from '../../shared/model/flow-run.ts'
import { addHookSecret, insertHook, updateHook, type StoredHook } from './hooks-repo.ts'
import { prepareIngest, type IngestBatch } from './ingest-repo.ts'
import { setMarks, type MarksBatch } from './marks-repo.ts'
import type { SealedSecret } from '../base/deps.ts'
import { openForWriting, type StoreOptions, type WritableDb } from './open.ts'
import { deleteSandboxObject, putSandboxObject, type StoredSandboxObject } from './sandbox-repo.ts'
import {
  addSends,
  dropJob,
  insertJob,
  readyJob,
  type NewJob,
  type NewSends,
} from './new-jobs-repo.ts'
import { replaceSeals } from './seals-repo.ts'
import {
  cancelJob,
  cancelSends,
  doubtSends,
  endJob,
  reviveJob,
  touchJob,
  type Revival,
} from './replay-jobs-repo.ts'
import { addFlowSend, prepareSends, type FlowSend } from './record-sends.ts'
import type { PackedSends } from './sends-batch.ts'
import { countStored } from './totals-repo.ts'

export type WriterTools = ReturnType<typeof createWriterTools>

export function createWriterTools(db: WritableDb) {
  return {
    db,
    ingest: prepareIngest(db),
    describe: prepareDescribe(db),
    fillIn: prepareFillIn(db),
    sends: prepareSends(db),
    remove: prepareRemoval(db),
  }
}

export const writerJobs = {
  ingest: (tools: WriterTools, batch: IngestBatch) => tools.ingest(batch),
  describe: (tools: WriterTools, batch: DescribeBatch) => tools.describe(batch),
  fillIn: (tools: WriterTools, batch: DetailsBatch) => tools.fillIn(batch),
  putJudgedAgain: ({ db }: WriterTools, judged: readonly JudgedAgain[]) =>
    putJudgedAgain(db, judged),
  verifyClaims: ({ db }: WriterTools, proved: readonly ProvedClaim[]) => verifyClaims(db, proved),
  putCauses: ({ db }: WriterTools, causes: readonly Cause[]) => putCauses(db, causes),
  setMarks: ({ db }: WriterTools, batch: MarksBatch) => setMarks(db, batch),
  hide: ({ db }: WriterTools, input: { seqs: readonly number[]; at: number }) =>
    hideDeliveries(db, input),
  unhide: ({ db }: WriterTools, seqs: readonly number[]) => unhideDeliveries(db, seqs),
  remove: ({ remove }: WriterTools, removal: RemovalBatch) => remove(removal),
  countStored: ({ db }: WriterTools, budgetMs: number) => countStored(db, budgetMs),
  returnPages: ({ db }: WriterTools, budgetMs: number) => returnPages(db, budgetMs),
  vacuum: ({ db }: WriterTools, _: null) => vacuum(db),
  writeBackLog: ({ db }: WriterTools, _: null) => writeBackLog(db),
  insertHook: ({ db }: WriterTools, hook: StoredHook) => insertHook(db, hook),
  updateHook: ({ db }: WriterTools, hook: StoredHook) => updateHook(db, hook),
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
  addReplaySends: ({ db }: WriterTools, sends: NewSends) => addSends(db, sends),
  readyReplayJob: ({ db }: WriterTools, input: Parameters<typeof readyJob>[1]) =>
    readyJob(db, input),
  dropReplayJob: ({ db }: WriterTools, input: Parameters<typeof dropJob>[1]) => dropJob(db, input),
  reviveReplayJob: ({ db }: WriterTools, revival: Revival) => reviveJob(db, revival),
  touchReplayJob: ({ db }: WriterTools, input: { id: string; at: number }) => touchJob(db, input),
  cancelReplayJob: ({ db }: WriterTools, id: string) => cancelJob(db, id),
  doubtReplaySends: ({ db }: WriterTools, seqs: readonly number[]) => doubtSends(db, seqs),
  cancelReplaySends: ({ db }: WriterTools, input: Parameters<typeof cancelSends>[1]) =>
    cancelSends(db, input),
  endReplayJob: ({ db }: WriterTools, input: Parameters<typeof endJob>[1]) => endJob(db, input),
  sends: ({ sends }: WriterTools, batch: PackedSends) => sends(batch),
  flowSend: ({ db, sends }: WriterTools, send: FlowSend) => addFlowSend(db, sends, send),
  forwardPut: ({ db }: WriterTools, target: StoredTarget) => putTarget(db, target),
  forwardRemove: ({ db }: WriterTools, input: { id: string; reason: string }) =>
    removeTarget(db, input),
  forwardDrop: ({ db }: WriterTools, drop: Drop) => dropWaiting(db, drop),
  forwardEnqueue: ({ db }: WriterTools, input: Enqueue) => enqueue(db, input),
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
