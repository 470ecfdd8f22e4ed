/** The search thread's jobs: fills the index, and reads whatever examines deliveries. */
import { countUpTo } from '../deliveries.ts'
import { type ReadableDb, isDamage } from '../open.ts'
import { countMatches, find, type CountInput, type FindInput } from './finder.ts'
import {
  attachSearch,
  detachSearch,
  openSearch,
  removeSearch,
  type SearchDb,
} from './open-search.ts'
import type { Query } from '../../../shared/query/query.ts'
import { readStatistics, readTimeline, type TimelineInput } from '../timeline.ts'
import { prepareIndexing, type Indexing } from './indexing.ts'

export interface SearchData {
  readonly file: string
  readonly searchFile: string
  /** The longest read, in milliseconds. */
  readonly limitMs: number
}

export interface SearchTools {
  readonly main: ReadableDb
  readonly file: string
  search: SearchDb
  indexing: Indexing
}

function openTools(main: ReadableDb, file: string): SearchTools {
  const search = openSearch(file, main)
  try {
    attachSearch(main, file)
    return { main, file, search, indexing: prepareIndexing(search, main) }
  } catch (error) {
    closeSearchTools({ main, search })
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

export function closeSearchTools({ main, search }: Pick<SearchTools, 'main' | 'search'>): void {
  detachSearch(main)
  search.close()
}

export const searchJobs = {
  fill: ({ indexing }: SearchTools, budgetMs: number) => indexing.fill(budgetMs),
  refresh: ({ indexing }: SearchTools, seqs: readonly number[]) => indexing.refresh(seqs),
  find: ({ main }: SearchTools, input: FindInput) => find(main, input),
  count: ({ main }: SearchTools, input: CountInput) => countMatches(main, input),
  timeline: ({ main }: SearchTools, input: TimelineInput) => readTimeline(main, input),
  statistics: ({ main }: SearchTools, query: Query) => readStatistics(main, query),
  countUpTo: ({ main }: SearchTools, seq: number) => countUpTo(main, seq),
  /** Removes the index and creates an empty one. No other connection may have it open. */
  begin: (tools: SearchTools, _: null) => {
    closeSearchTools(tools)
    removeSearch(tools.file)
    Object.assign(tools, openSearchTools(tools.main, tools.file))
  },
} as const

export type SearchJobs = typeof searchJobs
