/** A database with its search index for tests of the index: opened before each test, closed after it. */
import { beforeEach } from 'vitest'
import { openForReading, type ReadableDb } from '../../src/core/store/open.ts'
import { searchFileOf } from '../../src/core/store/search/open-search.ts'
import {
  closeSearchTools,
  openSearchTools,
  searchJobs,
  type SearchTools,
} from '../../src/core/store/search/search-jobs.ts'
import { databaseInFolder } from './in-folder.ts'
import { closeAtEnd } from './temporary-folder.ts'
import type { TestDatabase } from './test-database.ts'

export interface TestSearch {
  readonly database: TestDatabase
  /** The database as used by lists. */
  readonly main: ReadableDb
  readonly tools: SearchTools
  fill(): void
}

/** Opens one for each test of the calling file; the returned function gives the current test's. */
export function testSearch(): () => TestSearch {
  let open: TestSearch | null = null
  beforeEach(() => {
    const database = databaseInFolder()
    const main = openForReading(database.file)
    const tools = openSearchTools(main, searchFileOf(database.folder))
    const fill = () => {
      while (searchJobs.fill(tools, 1_000).behind);
    }
    open = { database, main, tools, fill }
    closeAtEnd(() => {
      closeSearchTools(tools)
      main.close()
    })
  })
  return () => {
    if (open === null) throw new Error('No test runs.')
    return open
  }
}
