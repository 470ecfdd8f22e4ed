/** The search thread's jobs: fills and checks the index, counts, and continues long searches. One short piece per job. */
import { countUpTo } from '../deliveries-repo.ts'
import type { ReadableDb } from '../open.ts'
import { anchorsOf, type AnchorsInput, find, type FindInput } from './finder.ts'
import {
  attachSearch,
  detachSearch,
  openSearch,
  removeSearch,
  type SearchDb,
} from './open-search.ts'
import {
  readStatistics,
  readTimeline,
  type StatisticsInput,
  type TimelineInput,
} from '../timeline-repo.ts'
import { checkPartition, partitionsOf } from './check.ts'
import { isDamage } from '../damaged.ts'
import { prepareIndexing, type Indexing } from './indexing.ts'

export interface SearchTools {
  readonly main: ReadableDb
  readonly file: string
  search: SearchDb
  indexing: Indexing
  /** Whether the index is known to be correct: closed cleanly last time, new, or checked since. */
  verified: boolean
}

function isDirty(search: SearchDb): boolean {
  return search.prepare<[], number>('SELECT dirty FROM state').pluck().get() !== 0
}

function openTools(main: ReadableDb, file: string): SearchTools {
  const search = openSearch(file)
  try {
    attachSearch(main, file)
    const indexing = prepareIndexing(search, main)
    // Read immediately: damage is noticed here, where the right reaction is known.
    indexing.documents()
    return { main, file, search, indexing, verified: !isDirty(search) }
  } catch (error) {
    closeIndex({ main, search })
    throw error
  }
}

/** Opens the index of a connection's database, creating it if it is missing, unusable or damaged. */
export function openSearchTools(main: ReadableDb, file: string): SearchTools {
  try {
    return openTools(main, file)
  } catch (error) {
    if (!isDamage(error)) throw error
    removeSearch(file)
    return openTools(main, file)
  }
}

function closeIndex({ main, search }: Pick<SearchTools, 'main' | 'search'>): void {
  detachSearch(main)
  search.close()
}

/** Closes cleanly: the next opening needs no check, unless this one hadn't finished its own. */
export function closeSearchTools(tools: SearchTools): void {
  try {
    if (tools.verified) tools.search.exec('UPDATE state SET dirty = 0')
  } finally {
    closeIndex(tools)
  }
}

export const searchJobs = {
  fill: ({ indexing }: SearchTools, budgetMs: number) => ({
    ...indexing.fill(budgetMs),
    documents: indexing.documents(),
  }),
  documents: ({ indexing }: SearchTools, _: null) => indexing.documents(),
  refresh: ({ indexing }: SearchTools, seqs: readonly number[]) => indexing.refresh(seqs),
  find: ({ main }: SearchTools, input: FindInput) => find(main, input),
  anchors: ({ main }: SearchTools, input: AnchorsInput) => anchorsOf(main, input),
  timeline: ({ main }: SearchTools, input: TimelineInput) => readTimeline(main, input),
  statistics: ({ main }: SearchTools, input: StatisticsInput) => readStatistics(main, input),
  countUpTo: ({ main }: SearchTools, seq: number) => countUpTo(main, seq),
  /** The partitions to check, newest first; none if the index is known to be correct. */
  suspects: ({ search, verified }: SearchTools, _: null) => (verified ? [] : partitionsOf(search)),
  check: ({ search, main, indexing }: SearchTools, partition: number) =>
    checkPartition(search, main, indexing, partition),
  /** All suspects are checked. */
  trust: (tools: SearchTools, _: null) => {
    tools.verified = true
  },
  /** The index lacks changes: it is checked again before it counts as correct, now or after the next start. */
  distrust: (tools: SearchTools, _: null) => {
    tools.verified = false
    tools.search.exec('UPDATE state SET dirty = 1')
  },
  /** Removes the index and creates an empty one. No other connection may have it open. */
  begin: (tools: SearchTools, _: null) => {
    closeIndex(tools)
    removeSearch(tools.file)
    Object.assign(tools, openSearchTools(tools.main, tools.file))
  },
} as const

export type SearchJobs = typeof searchJobs
