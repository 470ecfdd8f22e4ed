/** How many deliveries a query finds, and where each page of them starts: what a list of any length is reached by. */
import type { Query } from '../../../shared/query/query.ts'
import type { ReadableDb } from '../open.ts'
import { find } from './finder.ts'

export interface AnchorsInput {
  readonly query: Query
  readonly pageSize: number
  /** Where to go on; from the newest where absent. */
  readonly from?: number | undefined
  /** Rows that the last page already has. */
  readonly skip: number
  readonly budgetMs: number
}

export interface SearchAnchors {
  /** Deliveries found by this call. */
  readonly total: number
  /** The seq that each page starts from, newest first. */
  readonly anchors: number[]
  /** Where to go on; null where all was looked at. */
  readonly next: number | null
  /** Largest seq stored at that moment. */
  readonly newest: number
}

export function anchorsOf(db: ReadableDb, { query, pageSize, from, skip, budgetMs }: AnchorsInput): SearchAnchors {
  const { seqs, next, newest } = find(db, { query, from, budgetMs })
  const anchors: number[] = []
  for (let index = (pageSize - (skip % pageSize)) % pageSize; index < seqs.length; index += pageSize) anchors.push(seqs[index]!)
  return { total: seqs.length, anchors, next, newest }
}
