/** A database with its search index, opened before each test and closed after it. */
import { beforeEach } from 'vitest'
import { openForReading } from '../../src/core/store/open.ts'
import { searchFileOf } from '../../src/core/store/search/open-search.ts'
import {
  closeSearchTools,
  openSearchTools,
  searchJobs,
  type SearchTools,
} from '../../src/core/store/search/search-jobs.ts'
import type { ReadableDb } from '../../src/core/store/database.ts'
import { databaseInFolder } from './in-folder.ts'
import { closeAtEnd } from './temporary-folder.ts'
import type { TestDatabase } from './test-database.ts'

export interface TestSearch {
  readonly database: TestDatabase
  readonly main: ReadableDb
  readonly tools: SearchTools
  fill(): void
}

/** Opens a search for each test of the file; returns a function that returns the current one. */
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
