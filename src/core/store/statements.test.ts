import { expect, test } from 'vitest'
import { databaseInFolder, storeInFolder } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { readQuery } from '../../shared/query/parse.ts'
import { listQuery } from '../../shared/query/selected-values.ts'
import { EVERYTHING } from '../../shared/query/query.ts'
import { openReader, readerJobs } from './reader.ts'
import { startRead } from './read-limits.ts'

const STORED = 600
const read = (text: string) => listQuery(text, readQuery(text, { now: 0, hooks: [] }))
const ALL_TIME = { start: 0, width: 86_400_000, bins: 2_000 }

test('a read that takes longer than its limit ends with a sentence, and the next page is read', () => {
  const database = databaseInFolder()
  database.put(Array.from({ length: STORED }, () => captureOf('{}')))
  const { tools, jobs, starts, close } = openReader({ file: database.file, limitMs: 0 })
  const query = read('path:nowhere')
  const tooSlow = expect.objectContaining({
    code: 'TOO_SLOW',
    message: 'This search took longer than 0 s. Narrow it, for example with after:2h.',
  })
  for (const scan of [
    () => jobs.find(tools, { query }),
    () => jobs.timeline(tools, { ...ALL_TIME, query }),
    () => jobs.statistics(tools, EVERYTHING),
  ]) {
    starts?.(() => false)
    expect(scan).toThrow(tooSlow)
  }
  starts?.(() => false)
  const counted = jobs.count(tools, { query: EVERYTHING, most: 1_000, withinMs: 0 })
  expect(counted.more).toBe(true)
  expect(counted.count).toBeLessThan(STORED)

  startRead(tools, { limitMs: 60_000, isCancelled: () => false })
  expect(jobs.find(tools, { query: read(''), limit: 2 }).seqs).toEqual([STORED, STORED - 1])
  expect(jobs.find(tools, { query }).seqs).toEqual([])
  close()
})

test('a cancelled timeline ends in the thread, and the next page is read', async () => {
  const database = databaseInFolder()
  database.put(Array.from({ length: STORED }, () => captureOf('{}')))
  const { tools, starts, close } = openReader({ file: database.file, limitMs: 60_000 })
  let isCancelled = false
  starts?.(() => isCancelled)
  isCancelled = true
  expect(() => readerJobs.timeline(tools, { ...ALL_TIME, query: read('path:nowhere') })).toThrow(
    expect.objectContaining({ code: 'CANCELLED' }),
  )
  close()

  const store = await storeInFolder(temporaryFolder())
  await Promise.all(Array.from({ length: 3 }, () => store.capture(captureOf('{}'))))
  const left = new AbortController()
  const timeline = store.search.timeline({ ...ALL_TIME, query: read('path:nowhere') }, left.signal)
  left.abort(new Error('Another query.'))
  await expect(timeline).rejects.toThrow('Another query.')
  expect(await store.search.find(read(''), { limit: 2 })).toEqual([3, 2])
  await store.close()
})
