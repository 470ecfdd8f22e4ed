/** What the reader thread does: lists, searches, counts, single deliveries, and describing payloads. It never writes. */
import type { Query } from '../../shared/query/query.ts'
import {
  anchorsOf,
  attemptsOf,
  countDeliveries,
  getDelivery,
  listDeliveries,
  newestSeq,
  pageOfRows,
  readBody,
  readUndescribed,
  rowsBySeq,
  undescribedSeqs,
  type ListInput,
} from './deliveries-repo.ts'
import { describePayloads, reportSchema } from './describe.ts'
import { listEnvironments, readSetting } from './environments-repo.ts'
import { listHooks } from './hooks-repo.ts'
import type { ReadableDb } from './open.ts'
import { listSandboxObjects } from './sandbox-repo.ts'
import { newFields } from './seen-fields-repo.ts'

export const readerJobs = {
  list: (db: ReadableDb, input: ListInput) => listDeliveries(db, input),
  page: (db: ReadableDb, input: { query: Query; from?: number | undefined; limit: number }) => pageOfRows(db, input),
  anchors: (db: ReadableDb, input: { query: Query; pageSize: number }) => anchorsOf(db, input),
  count: (db: ReadableDb, query: Query) => countDeliveries(db, query),
  newestSeq: (db: ReadableDb, _: null) => newestSeq(db),
  get: (db: ReadableDb, ref: string) => getDelivery(db, ref),
  rowsBySeq: (db: ReadableDb, seqs: readonly number[]) => rowsBySeq(db, seqs),
  body: (db: ReadableDb, input: { seq: number; offset: number; length: number }) => readBody(db, input),
  attempts: (db: ReadableDb, ref: string) => attemptsOf(db, ref),
  describe: (db: ReadableDb, seqs: readonly number[]) => describePayloads(readUndescribed(db, seqs)),
  schema: (db: ReadableDb, ref: string) => reportSchema(db, ref),
  newFields: (db: ReadableDb, ref: string) => newFields(db, ref),
  undescribed: (db: ReadableDb, _: null) => undescribedSeqs(db),
  hooks: (db: ReadableDb, _: null) => listHooks(db),
  environments: (db: ReadableDb, _: null) => listEnvironments(db),
  setting: (db: ReadableDb, name: string) => readSetting(db, name),
  sandboxObjects: (db: ReadableDb, _: null) => listSandboxObjects(db),
} as const

export type ReaderJobs = typeof readerJobs
