/** The reader thread: lists, searches, counts and single deliveries. It never writes. */
import type { SchemaReport } from '../../shared/model/delivery.ts'
import type { ListedSend, Send } from '../../shared/model/send.ts'
import type { checkPayload } from '../../shared/service/payload.ts'
import type { OpenJobs } from '../base/threads/job-thread.ts'
import * as causes from './causes.ts'
import * as deletion from './deletion.ts'
import * as toSend from './deliveries-to-send.ts'
import * as deliveries from './deliveries.ts'
import * as forward from './forward.ts'
import * as handlers from './handlers.ts'
import * as hooks from './hooks.ts'
import * as ingest from './ingest.ts'
import * as files from './open.ts'
import * as replays from './replays.ts'
import * as runs from './runs.ts'
import * as finder from './search/finder.ts'
import { readDoubtful } from './late-verdicts.ts'
import * as index from './search/open-search.ts'
import * as searchPayloads from './search/payloads.ts'
import * as sends from './sends.ts'
import * as settings from './settings.ts'
import * as timeline from './timeline.ts'
import { rowStatement, startRead } from './statements.ts'

/** Loaded on first use: schemas take most of the time that a thread takes to start, and most cores open to run one command. */
const payloadSchemas = () => import('../../shared/service/payload.ts')

type ReadableDb = files.ReadableDb

export const readerJobs = {
  find: finder.find,
  count: finder.countMatches,
  attachSearch: index.attachSearch,
  detachSearch: index.detachSearch,
  timeline: timeline.readTimeline,
  statistics: timeline.readStatistics,
  replayStatistics: timeline.readReplayStatistics,
  earliestReceipt: timeline.earliestReceipt,
  foreignSeals: hooks.readForeignSeals,
  hooks: hooks.listHooks,
  hookUse: hooks.readHookUse,
  environments: hooks.listEnvironments,
  sandboxObjects: hooks.listSandboxObjects,
  countUpTo: deliveries.countUpTo,
  newestSeq: deliveries.newestSeq,
  bySeq: deliveries.deliveriesBySeq,
  rowsBySeq: deliveries.rowsBySeq,
  rowsText: deliveries.rowsText,
  hasImported: deliveries.hasImported,
  sort: deliveries.sortSeqs,
  body: deliveries.readStoredBody,
  attempts: deliveries.attemptsOf,
  neighbour: deliveries.neighbourOf,
  isDescribed: deliveries.isDescribed,
  checkPages: files.checkPages,
  checkRows: async (db: ReadableDb) => (await import('./damage.ts')).findRowProblems(db),
  newFields: searchPayloads.newFields,
  linked: searchPayloads.linkedDeliveries,
  linkCount: searchPayloads.countLinks,
  leavings: deletion.readDeletable,
  forgotten: deletion.readForgotten,
  oldestUnpinned: deletion.oldestUnpinned,
  fileUse: deletion.fileUse,
  doubtful: readDoubtful,
  undiagnosed: causes.undiagnosed,
  knownIds: ingest.knownIds,
  marked: settings.findMarked,
  pinned: settings.countPinned,
  setting: settings.readSetting,
  handlers: handlers.listHandlers,
  handlerPage: handlers.readHandlerPage,
  replayJob: replays.readJob,
  replayBody: replays.readJobBody,
  replayTargets: (db: ReadableDb) => replays.recentTargets(db),
  replayJobs: replays.listJobs,
  hooksToSend: toSend.hooksToSend,
  deliveriesToSend: toSend.deliveriesToSend,
  deliveriesNamed: toSend.deliveriesNamed,
  sendsOfDelivery: sends.sendsOfDelivery,
  send: sends.readSend,
  forwardTargets: forward.listTargets,
  forwardRoute: forward.routeNext,
  forwardFirst: forward.firstRoute,
  hooksMatching: forward.hooksMatching,
  forwardCounts: forward.queueCounts,
  checkRun: runs.readCheckRun,
  checkRuns: runs.listCheckRuns,
  checkRunBefore: runs.checkRunBefore,
  flowRuns: runs.listFlowRuns,
  flowRun: runs.readFlowRun,
  get(db: ReadableDb, ref: string) {
    const delivery = deliveries.getDelivery(db, ref)
    return { ...delivery, bodyAltered: deliveries.isBodyAltered(db, delivery.seq) }
  },
  schema: async (db: ReadableDb, ref: string) =>
    reportSchema(db, ref, (await payloadSchemas()).checkPayload),
  matching: deliveries.matchingSeqs,
  storedValues: async (db: ReadableDb) => (await import('./stored-values.ts')).storedValues(db),
  sendsOfJob: (db: ReadableDb, input: sends.SendsOfJob) => listed(db, sends.sendsOfJob(db, input)),
  forwardQueued: forward.nextQueued,
  forwardSends: (db: ReadableDb, input: { readonly id: string; readonly limit: number }) =>
    listed(db, sends.sendsOfTarget(db, input)),
  forwardSent: (db: ReadableDb, seqs: readonly number[]) => listed(db, sends.sendsBySeq(db, seqs)),
} as const

export type ReaderJobs = typeof readerJobs

export interface ReaderData {
  readonly file: string
  /** The longest read, in milliseconds. */
  readonly limitMs: number
}

/** Opens the database, which the writer has migrated, for reading. */
export function openReader({ file, limitMs }: ReaderData): OpenJobs<ReadableDb, ReaderJobs> {
  const db = files.openForReading(file)
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
function listed(db: ReadableDb, all: readonly Send[]): ListedSend[] {
  const found = rowStatement<{ id: string; event: string | null; receivedAt: number }>(
    db,
    'SELECT id, event, received_at AS receivedAt FROM deliveries WHERE id IN (SELECT value FROM json_each(?))',
  ).all(JSON.stringify([...new Set(all.map(({ deliveryId }) => deliveryId))]))
  const byId = new Map(found.map((row) => [row.id, row]))
  return all.flatMap((send) => {
    const delivery = byId.get(send.deliveryId)
    if (delivery === undefined) return []
    return [
      { ...send, event: delivery.event, receivedAt: new Date(delivery.receivedAt).toISOString() },
    ]
  })
}

/** Checks one delivery's payload. Malformed or truncated deliveries have no results: their bytes aren't a payload. */
function reportSchema(db: ReadableDb, ref: string, check: typeof checkPayload): SchemaReport {
  const { seq, event, environment, mode, truncated, malformed, bodySize } = deliveries.getDelivery(
    db,
    ref,
  )
  if (truncated || malformed !== null)
    return { event, outcome: 'unknown', failures: [], findings: [] }
  const { bytes } = deliveries.readStoredBody(db, { seq, offset: 0, length: bodySize })
  const { outcome, failures, findings } = check(
    event,
    bytes,
    environment === null || mode === null ? null : { environment, mode },
  )
  return { event, outcome, failures: [...failures], findings: [...findings] }
}
