/** Jobs of the writer thread. */
import type { OpenJobs } from '../base/threads/job-thread.ts'
import { putCauses } from './causes.ts'
import { prepareRemoval, hideDeliveries, unhideDeliveries, type RemovalBatch } from './deletion.ts'
import {
  discardPending,
  beginForward,
  requeueForward,
  requeueInterrupted,
} from './forward-queue.ts'
import { putHandlers } from './handlers.ts'
import { addHookSecret, insertHook, updateHook, deleteHook } from './hooks.ts'
import { putVerdicts } from './late-verdicts.ts'
import { insertReplay, resumeReplay, cancelReplay, releaseReplay } from './replays.ts'
import { putCheckRun } from './check-runs.ts'
import { writeSetting } from './settings.ts'
import { DeliveryDescriber, type DescribeBatch } from './delivery-describer.ts'
import { prepareIngest, type IngestRow } from './ingest.ts'
import { openForWriting, type StoreOptions } from './open.ts'
import type { WritableDb } from './database.ts'
import { fillReserve, withReserve } from './space-reserve.ts'
import { returnPages, writeBackLog } from './storage-space.ts'
import { setMarks } from './marks.ts'
import { putEnvironment, deleteEnvironment } from './environments.ts'
import { putSandboxObject, deleteSandboxObject } from './sandbox-objects.ts'
import { replaceSeals } from './sealed-values.ts'
import { enqueue } from './forward-routes.ts'
import { putTarget, removeTarget } from './forward-targets.ts'
import { putSetup } from './setup-rows.ts'
import { settleResponses } from './stored-responses.ts'
import { prepareSends, type SendsBatch } from './record-sends.ts'
import { nameRequest } from './composed.ts'
import { putFlowRun, putFlowDeliveries } from './flow-runs.ts'
import { noteIndexChanges, dropIndexChanges } from './search/index-changes.ts'

const preparedFor = new WeakMap<WritableDb, ReturnType<typeof prepare>>()

function prepare(db: WritableDb) {
  return {
    ingest: prepareIngest(db),
    describer: new DeliveryDescriber(db),
    sends: prepareSends(db),
    remove: prepareRemoval(db),
  }
}

function prepared(db: WritableDb) {
  const jobs = preparedFor.get(db) ?? prepare(db)
  preparedFor.set(db, jobs)
  return jobs
}

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
    return prepared(db).describer.describe(batch, describePayload)
  },
  sends: (db: WritableDb, batch: SendsBatch) => prepared(db).sends(batch),
  hide: usingReserve(hideDeliveries),
  unhide: usingReserve(unhideDeliveries),
  remove: usingReserve((db, removal: RemovalBatch) => prepared(db).remove(removal)),
  returnPages: usingReserve(returnPages),
  noteIndexChanges: usingReserve(noteIndexChanges),
  writeBackLog: (db: WritableDb) => {
    fillReserve(db)
    withReserve(db, () => writeBackLog(db))
  },
  addHookSecret,
  putVerdicts,
  putCauses,
  dropIndexChanges,
  setMarks,
  writeSetting,
  insertHook,
  updateHook,
  deleteHook,
  replaceSeals,
  putEnvironment,
  deleteEnvironment,
  putSandboxObject,
  deleteSandboxObject,
  putHandlers,
  insertReplay,
  resumeReplay,
  cancelReplay,
  releaseReplay,
  putTarget,
  removeTarget,
  discardPending,
  enqueue,
  beginForward,
  requeueForward,
  requeueInterrupted,
  putCheckRun,
  nameRequest,
  putSetup,
  putFlowRun,
  flowDeliveries: putFlowDeliveries,
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
