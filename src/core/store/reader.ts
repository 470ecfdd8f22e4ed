/** Jobs of the reader thread. */
import type { SchemaReport } from '../../shared/model/delivery.ts'
import type { ListedSend, Send } from '../../shared/model/send.ts'
import type { checkPayload } from '../../shared/service/payload.ts'
import type { OpenJobs } from '../base/threads/job-thread.ts'
import { readUndiagnosed } from './causes.ts'
import { hooksToSend, deliveriesToSend, findDeliveriesToSend } from './deliveries-to-send.ts'
import {
  countUpTo,
  newestSeq,
  deliveriesBySeq,
  rowsBySeq,
  rowsText,
  hasImported,
  sortSeqs,
  attemptsOf,
  neighbourOf,
  isDescribed,
  matchingSeqs,
} from './deliveries.ts'
import { queueCounts, nextQueued } from './forward-queue.ts'
import { listHandlers } from './handlers.ts'
import { listHooks, readHookUse } from './hooks.ts'
import { checkPages, openForReading } from './open.ts'
import {
  hasPreviousSend,
  readComparedSends,
  readDeliveryIds,
  readPreviousSends,
} from './compared-sends.ts'
import {
  readReplay,
  readReplayBaseline,
  readReplayBody,
  readRecentTargets,
  listReplays,
} from './replays.ts'
import { readCheckRun, listCheckRuns, readPreviousCheckRun } from './check-runs.ts'
import { findMatches, countMatches } from './search/finder.ts'
import { readUnproved } from './late-verdicts.ts'
import { attachSearch, detachSearch } from './search/open-search.ts'
import { linkedDeliveries, countLinks } from './search/linked-deliveries.ts'
import {
  sendsOfDelivery,
  type SendsOfReplay,
  sendsOfReplay,
  sendsOfTarget,
  sendsBySeq,
} from './sends.ts'
import { readSetting } from './settings.ts'
import { readTimeline, earliestReceipt } from './timeline.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb } from './database.ts'
import { readDeletable, readRemovedSeqs } from './deletable.ts'
import { oldestUnpinned, fileUse } from './storage-space.ts'
import { findDeliveriesToMark, countPinned } from './marks.ts'
import { listEnvironments } from './environments.ts'
import { listSandboxObjects } from './sandbox-objects.ts'
import { readForeignSeals } from './sealed-values.ts'
import { readExistingIds } from './imported-facts.ts'
import { startRead } from './read-limits.ts'
import { routeNext, firstRoute, hooksMatching } from './forward-routes.ts'
import { listTargets } from './forward-targets.ts'
import { readFieldProfile } from './field-profiles.ts'
import { readStatistics, readReplayStatistics } from './statistics.ts'
import { readSend } from './stored-send.ts'
import { readHandlerEvidence } from './handler-evidence.ts'
import { readHandlerPage } from './handler-page.ts'
import { listFlowRuns, readFlowRun } from './flow-runs.ts'
import { readBodyValues } from './body-values.ts'
import { readStoredBody, isBodyAltered } from './stored-bodies.ts'
import { findNamed, getDelivery, listNamed } from './find-delivery.ts'
import { newFields } from './search/seen-fields.ts'

/** Loads schemas on first use, because they take most of a thread's start. */
const payloadSchemas = () => import('../../shared/service/payload.ts')

export const readerJobs = {
  find: findMatches,
  count: countMatches,
  attachSearch,
  detachSearch,
  timeline: readTimeline,
  statistics: readStatistics,
  replayStatistics: readReplayStatistics,
  earliestReceipt,
  foreignSeals: readForeignSeals,
  hooks: listHooks,
  hookUse: readHookUse,
  environments: listEnvironments,
  sandboxObjects: listSandboxObjects,
  countUpTo,
  newestSeq,
  deliveriesBySeq,
  rowsBySeq,
  rowsText,
  hasImported,
  sort: sortSeqs,
  body: readStoredBody,
  bodyValues: readBodyValues,
  attempts: attemptsOf,
  neighbour: neighbourOf,
  isDescribed,
  checkPages,
  checkRows: async (db: ReadableDb) => (await import('./damage.ts')).findRowProblems(db),
  newFields,
  fieldProfile: readFieldProfile,
  linked: linkedDeliveries,
  linkCount: countLinks,
  deletable: readDeletable,
  removedSeqs: readRemovedSeqs,
  oldestUnpinned,
  fileUse,
  unproved: readUnproved,
  undiagnosed: readUndiagnosed,
  existingIds: readExistingIds,
  deliveriesToMark: findDeliveriesToMark,
  pinned: countPinned,
  setting: readSetting,
  handlers: listHandlers,
  handlerPage: readHandlerPage,
  handlerEvidence: readHandlerEvidence,
  replay: readReplay,
  replayBody: readReplayBody,
  replayBaseline: readReplayBaseline,
  comparedSends: readComparedSends,
  previousSends: readPreviousSends,
  hasPreviousSend,
  deliveryIds: readDeliveryIds,
  replayTargets: readRecentTargets,
  replays: listReplays,
  hooksToSend,
  deliveriesToSend,
  findDeliveriesToSend,
  sendsOfDelivery,
  send: readSend,
  forwardTargets: listTargets,
  routeNext,
  firstRoute,
  hooksMatching,
  queueCounts,
  checkRun: readCheckRun,
  checkRuns: listCheckRuns,
  previousCheckRun: readPreviousCheckRun,
  namedRequest: findNamed,
  namedRequests: listNamed,
  flowRuns: listFlowRuns,
  flowRun: readFlowRun,
  get(db: ReadableDb, ref: string) {
    const delivery = getDelivery(db, ref)
    return { ...delivery, bodyAltered: isBodyAltered(db, delivery.seq) }
  },
  schema: async (db: ReadableDb, ref: string) =>
    reportSchema(db, ref, (await payloadSchemas()).checkPayload),
  matching: matchingSeqs,
  storedValues: async (db: ReadableDb) => (await import('./stored-values.ts')).readStoredValues(db),
  sendsOfReplay: (db: ReadableDb, input: SendsOfReplay) =>
    toListedSends(db, sendsOfReplay(db, input)),
  nextQueued,
  forwardSends: (db: ReadableDb, input: { readonly id: string; readonly limit: number }) =>
    toListedSends(db, sendsOfTarget(db, input)),
  forwardSent: (db: ReadableDb, seqs: readonly number[]) => toListedSends(db, sendsBySeq(db, seqs)),
} as const

export type ReaderJobs = typeof readerJobs

export interface ReaderData {
  readonly file: string
  readonly limitMs: number
}

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
