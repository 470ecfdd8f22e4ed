/** Jobs of the reader thread. */
import type { SchemaReport } from '../../shared/model/delivery.ts'
import type { ListedSend, Send } from '../../shared/model/send.ts'
import type { checkPayload } from '../../shared/service/payload.ts'
import type { OpenJobs } from '../base/threads/job-thread.ts'
import * as causes from './causes.ts'
import * as toSend from './deliveries-to-send.ts'
import * as deliveries from './deliveries.ts'
import * as forward from './forward-queue.ts'
import * as handlers from './handlers.ts'
import * as hooks from './hooks.ts'
import * as files from './open.ts'
import * as replays from './replays.ts'
import * as runs from './check-runs.ts'
import * as finder from './search/finder.ts'
import { readUnproved } from './late-verdicts.ts'
import * as index from './search/open-search.ts'
import * as searchPayloads from './search/linked-deliveries.ts'
import * as sends from './sends.ts'
import * as settings from './settings.ts'
import * as timeline from './timeline.ts'
import { rowStatement } from './statements.ts'
import type * as database from './database.ts'
import * as deletable from './deletable.ts'
import * as storageSpace from './storage-space.ts'
import * as marks from './marks.ts'
import * as environments from './environments.ts'
import * as sandboxObjects from './sandbox-objects.ts'
import * as sealedValues from './sealed-values.ts'
import * as importedFacts from './imported-facts.ts'
import { startRead } from './read-limits.ts'
import * as forwardRoutes from './forward-routes.ts'
import * as forwardTargets from './forward-targets.ts'
import * as statistics from './statistics.ts'
import * as storedSend from './stored-send.ts'
import * as handlerPage from './handler-page.ts'
import * as flowRuns from './flow-runs.ts'
import * as storedBodies from './stored-bodies.ts'
import * as findDelivery from './find-delivery.ts'
import * as seenFields from './search/seen-fields.ts'

/** Loads schemas on first use, because they take most of a thread's start. */
const payloadSchemas = () => import('../../shared/service/payload.ts')

type ReadableDb = database.ReadableDb

export const readerJobs = {
  find: finder.findMatches,
  count: finder.countMatches,
  attachSearch: index.attachSearch,
  detachSearch: index.detachSearch,
  timeline: timeline.readTimeline,
  statistics: statistics.readStatistics,
  replayStatistics: statistics.readReplayStatistics,
  earliestReceipt: timeline.earliestReceipt,
  foreignSeals: sealedValues.readForeignSeals,
  hooks: hooks.listHooks,
  hookUse: hooks.readHookUse,
  environments: environments.listEnvironments,
  sandboxObjects: sandboxObjects.listSandboxObjects,
  countUpTo: deliveries.countUpTo,
  newestSeq: deliveries.newestSeq,
  bySeq: deliveries.deliveriesBySeq,
  rowsBySeq: deliveries.rowsBySeq,
  rowsText: deliveries.rowsText,
  hasImported: deliveries.hasImported,
  sort: deliveries.sortSeqs,
  body: storedBodies.readStoredBody,
  attempts: deliveries.attemptsOf,
  neighbour: deliveries.neighbourOf,
  isDescribed: deliveries.isDescribed,
  checkPages: files.checkPages,
  checkRows: async (db: ReadableDb) => (await import('./damage.ts')).findRowProblems(db),
  newFields: seenFields.newFields,
  linked: searchPayloads.linkedDeliveries,
  linkCount: searchPayloads.countLinks,
  deletable: deletable.readDeletable,
  forgotten: deletable.readRemovedSeqs,
  oldestUnpinned: storageSpace.oldestUnpinned,
  fileUse: storageSpace.fileUse,
  doubtful: readUnproved,
  undiagnosed: causes.readUndiagnosed,
  knownIds: importedFacts.readExistingIds,
  marked: marks.findDeliveriesToMark,
  pinned: marks.countPinned,
  setting: settings.readSetting,
  handlers: handlers.listHandlers,
  handlerPage: handlerPage.readHandlerPage,
  replayJob: replays.readJob,
  replayBody: replays.readJobBody,
  replayTargets: (db: ReadableDb) => replays.recentTargets(db),
  replayJobs: replays.listJobs,
  hooksToSend: toSend.hooksToSend,
  deliveriesToSend: toSend.deliveriesToSend,
  deliveriesNamed: toSend.findDeliveriesToSend,
  sendsOfDelivery: sends.sendsOfDelivery,
  send: storedSend.readSend,
  forwardTargets: forwardTargets.listTargets,
  forwardRoute: forwardRoutes.routeNext,
  forwardFirst: forwardRoutes.firstRoute,
  hooksMatching: forwardRoutes.hooksMatching,
  forwardCounts: forward.queueCounts,
  checkRun: runs.readCheckRun,
  checkRuns: runs.listCheckRuns,
  checkRunBefore: runs.readPreviousCheckRun,
  flowRuns: flowRuns.listFlowRuns,
  flowRun: flowRuns.readFlowRun,
  get(db: ReadableDb, ref: string) {
    const delivery = findDelivery.getDelivery(db, ref)
    return { ...delivery, bodyAltered: storedBodies.isBodyAltered(db, delivery.seq) }
  },
  schema: async (db: ReadableDb, ref: string) =>
    reportSchema(db, ref, (await payloadSchemas()).checkPayload),
  matching: deliveries.matchingSeqs,
  storedValues: async (db: ReadableDb) => (await import('./stored-values.ts')).readStoredValues(db),
  sendsOfJob: (db: ReadableDb, input: sends.SendsOfJob) =>
    toListedSends(db, sends.sendsOfJob(db, input)),
  forwardQueued: forward.nextQueued,
  forwardSends: (db: ReadableDb, input: { readonly id: string; readonly limit: number }) =>
    toListedSends(db, sends.sendsOfTarget(db, input)),
  forwardSent: (db: ReadableDb, seqs: readonly number[]) =>
    toListedSends(db, sends.sendsBySeq(db, seqs)),
} as const

export type ReaderJobs = typeof readerJobs

export interface ReaderData {
  readonly file: string
  readonly limitMs: number
}

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

/** Adds to each send the event and time of its delivery. */
function toListedSends(db: ReadableDb, list: readonly Send[]): ListedSend[] {
  const rows = rowStatement<{ id: string; event: string | null; receivedAt: number }>(
    db,
    'SELECT id, event, received_at AS receivedAt FROM deliveries WHERE id IN (SELECT value FROM json_each(?))',
  ).all(JSON.stringify([...new Set(list.map(({ deliveryId }) => deliveryId))]))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return list.flatMap((send) => {
    const delivery = byId.get(send.deliveryId)
    if (delivery === undefined) return []
    return [
      { ...send, event: delivery.event, receivedAt: new Date(delivery.receivedAt).toISOString() },
    ]
  })
}

/** Checks a delivery's payload, unless it is malformed or truncated. */
function reportSchema(db: ReadableDb, ref: string, check: typeof checkPayload): SchemaReport {
  const { seq, event, environment, mode, truncated, malformed, bodySize } =
    findDelivery.getDelivery(db, ref)
  if (truncated || malformed !== null)
    return { event, outcome: 'unknown', failures: [], findings: [] }
  const { bytes } = storedBodies.readStoredBody(db, { seq, offset: 0, length: bodySize })
  const { outcome, failures, findings } = check(
    event,
    bytes,
    environment === null || mode === null ? null : { environment, mode },
  )
  return { event, outcome, failures: [...failures], findings: [...findings] }
}
