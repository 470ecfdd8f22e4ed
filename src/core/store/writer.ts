/** Jobs of the writer thread. */
import type { OpenJobs } from '../base/threads/job-thread.ts'
import * as causes from './causes.ts'
import * as deletion from './deletion.ts'
import * as forward from './forward-queue.ts'
import * as handlers from './handlers.ts'
import * as hooks from './hooks.ts'
import { putJudged } from './late-verdicts.ts'
import * as replays from './replays.ts'
import * as runs from './check-runs.ts'
import * as settings from './settings.ts'
import { Enrichment, type DescribeBatch } from './enrich.ts'
import { prepareIngest, type IngestRow } from './ingest.ts'
import { openForWriting, type StoreOptions } from './open.ts'
import type { WritableDb } from './database.ts'
import { fillReserve, withReserve } from './space-reserve.ts'
import * as storageSpace from './storage-space.ts'
import * as marks from './marks.ts'
import * as environments from './environments.ts'
import * as sandboxObjects from './sandbox-objects.ts'
import * as sealedValues from './sealed-values.ts'
import * as forwardRoutes from './forward-routes.ts'
import * as forwardTargets from './forward-targets.ts'
import { settleResponses } from './stored-responses.ts'
import * as recordSends from './record-sends.ts'
import * as flowRuns from './flow-runs.ts'
import * as indexChanges from './search/index-changes.ts'

const preparedFor = new WeakMap<WritableDb, ReturnType<typeof prepare>>()

function prepare(db: WritableDb) {
  return {
    ingest: prepareIngest(db),
    describing: new Enrichment(db),
    sends: recordSends.prepareSends(db),
    remove: deletion.prepareRemoval(db),
  }
}

function prepared(db: WritableDb) {
  const jobs = preparedFor.get(db) ?? prepare(db)
  preparedFor.set(db, jobs)
  return jobs
}

/** Wraps a job that may use the reserve of a full disk. */
const usingReserve =
  <Input, Output>(job: (db: WritableDb, input: Input) => Output) =>
  (db: WritableDb, input: Input): Output =>
    withReserve(db, () => job(db, input))

export const writerJobs = {
  /** Stores captured deliveries, passed as JSON, because copying objects takes twice as long. */
  ingest(db: WritableDb, batch: { readonly rows: string; readonly bodies: ArrayBuffer }) {
    const rows = JSON.parse(batch.rows) as IngestRow[]
    prepared(db).ingest({ rows, bodies: batch.bodies })
  },
  describe: async (db: WritableDb, batch: DescribeBatch) => {
    const { describePayload } = await import('../../shared/service/payload.ts')
    return prepared(db).describing.describe(batch, describePayload)
  },
  sends: (db: WritableDb, batch: recordSends.SendsBatch) => prepared(db).sends(batch),
  hide: usingReserve(deletion.hideDeliveries),
  unhide: usingReserve(deletion.unhideDeliveries),
  remove: usingReserve((db, removal: deletion.RemovalBatch) => prepared(db).remove(removal)),
  returnPages: usingReserve(storageSpace.returnPages),
  noteIndexChanges: usingReserve(indexChanges.noteIndexChanges),
  writeBackLog: (db: WritableDb) => {
    fillReserve(db)
    withReserve(db, () => storageSpace.writeBackLog(db))
  },
  addHookSecret: hooks.addHookSecret,
  putJudged,
  putCauses: causes.putCauses,
  dropIndexChanges: indexChanges.dropIndexChanges,
  setMarks: marks.setMarks,
  writeSetting: settings.writeSetting,
  insertHook: hooks.insertHook,
  updateHook: hooks.updateHook,
  deleteHook: hooks.deleteHook,
  replaceSeals: sealedValues.replaceSeals,
  putEnvironment: environments.putEnvironment,
  deleteEnvironment: environments.deleteEnvironment,
  putSandboxObject: sandboxObjects.putSandboxObject,
  deleteSandboxObject: sandboxObjects.deleteSandboxObject,
  putHandlers: handlers.putHandlers,
  insertReplayJob: replays.insertJob,
  resumeReplayJob: replays.resumeJob,
  cancelReplayJob: replays.cancelJob,
  releaseReplayJob: replays.releaseJob,
  forwardPut: forwardTargets.putTarget,
  forwardRemove: forwardTargets.removeTarget,
  forwardDrop: forward.discardPending,
  forwardEnqueue: forwardRoutes.enqueue,
  forwardBegin: forward.beginForward,
  forwardRelease: forward.requeueForward,
  forwardRevive: forward.requeueInterrupted,
  putCheckRun: runs.putCheckRun,
  putFlowRun: flowRuns.putFlowRun,
  flowDeliveries: flowRuns.putFlowDeliveries,
  durability: (db: WritableDb) => ({
    journalMode: db.pragma('journal_mode', { simple: true }) as string,
    synchronous: db.pragma('synchronous', { simple: true }) as number,
  }),
} as const

export type WriterJobs = typeof writerJobs

export interface WriterData {
  readonly file: string
  readonly options: StoreOptions
}

export function openWriter({ file, options }: WriterData): OpenJobs<WritableDb, WriterJobs> {
  const db = openForWriting(file, options)
  prepared(db)
  return {
    tools: db,
    jobs: writerJobs,
    close() {
      settleResponses(db)
      db.close()
    },
  }
}
