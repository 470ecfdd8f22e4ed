/** The writer thread: all writing to the database, and nothing else. */
import type { OpenJobs } from '../base/threads/job-thread.ts'
import * as causes from './causes.ts'
import * as deletion from './deletion.ts'
import * as forward from './forward.ts'
import * as handlers from './handlers.ts'
import * as hooks from './hooks.ts'
import { putJudged } from './late-verdicts.ts'
import * as replays from './replays.ts'
import * as runs from './runs.ts'
import * as index from './search/open-search.ts'
import * as sends from './sends.ts'
import * as settings from './settings.ts'
import { prepareEnrichment, settleResponses, type DescribeBatch } from './enrich.ts'
import { prepareIngest, type IngestRow } from './ingest.ts'
import {
  fillReserve,
  openForWriting,
  withReserve,
  type StoreOptions,
  type WritableDb,
} from './open.ts'

const preparedFor = new WeakMap<WritableDb, ReturnType<typeof prepare>>()

/** The statements of frequent jobs. */
function prepare(db: WritableDb) {
  return {
    ingest: prepareIngest(db),
    describing: prepareEnrichment(db),
    sends: sends.prepareSends(db),
    remove: deletion.prepareRemoval(db),
  }
}

function prepared(db: WritableDb) {
  const known = preparedFor.get(db) ?? prepare(db)
  preparedFor.set(db, known)
  return known
}

/** A job that works on a full disk too: it may use the reserve. */
const reserved =
  <Input, Output>(job: (db: WritableDb, input: Input) => Output) =>
  (db: WritableDb, input: Input): Output =>
    withReserve(db, () => job(db, input))

export const writerJobs = {
  /** `rows` as JSON: copying them as objects takes twice as long. */
  ingest(db: WritableDb, batch: { readonly rows: string; readonly bodies: ArrayBuffer }) {
    const rows = JSON.parse(batch.rows) as IngestRow[]
    prepared(db).ingest({ rows, bodies: batch.bodies })
  },
  describe: async (db: WritableDb, batch: DescribeBatch) => {
    // Loaded on first use: schemas take most of the time that a thread takes to start.
    const { describePayload } = await import('../../shared/service/payload.ts')
    return prepared(db).describing.describe(batch, describePayload)
  },
  sends: (db: WritableDb, batch: sends.SendsBatch) => prepared(db).sends(batch),
  hide: reserved(deletion.hideDeliveries),
  unhide: reserved(deletion.unhideDeliveries),
  remove: reserved((db, removal: deletion.RemovalBatch) => prepared(db).remove(removal)),
  returnPages: reserved(deletion.returnPages),
  noteIndexChanges: reserved(index.noteIndexChanges),
  writeBackLog: (db: WritableDb) => {
    fillReserve(db)
    withReserve(db, () => deletion.writeBackLog(db))
  },
  addHookSecret: hooks.addHookSecret,
  putJudged,
  putCauses: causes.putCauses,
  dropIndexChanges: index.dropIndexChanges,
  setMarks: settings.setMarks,
  writeSetting: settings.writeSetting,
  insertHook: hooks.insertHook,
  updateHook: hooks.updateHook,
  deleteHook: hooks.deleteHook,
  replaceSeals: hooks.replaceSeals,
  putEnvironment: hooks.putEnvironment,
  deleteEnvironment: hooks.deleteEnvironment,
  putSandboxObject: hooks.putSandboxObject,
  deleteSandboxObject: hooks.deleteSandboxObject,
  putHandlers: handlers.putHandlers,
  insertReplayJob: replays.insertJob,
  resumeReplayJob: replays.resumeJob,
  cancelReplayJob: replays.cancelJob,
  releaseReplayJob: replays.releaseJob,
  forwardPut: forward.putTarget,
  forwardRemove: forward.removeTarget,
  forwardDrop: forward.dropWaiting,
  forwardEnqueue: forward.enqueue,
  forwardBegin: forward.beginForward,
  forwardRelease: forward.releaseForward,
  forwardRevive: forward.reviveQueues,
  putCheckRun: runs.putCheckRun,
  putFlowRun: runs.putFlowRun,
  flowDeliveries: runs.putFlowDeliveries,
  /** The connection's own durability setting, read after the first write, when WAL mode would have lowered it. */
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

/** Opens the database for its only writer. */
export function openWriter({ file, options }: WriterData): OpenJobs<WritableDb, WriterJobs> {
  const db = openForWriting(file, options)
  // Their compilation isn't part of the first delivery.
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
