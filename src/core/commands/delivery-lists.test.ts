import { expect, test } from 'vitest'
import { BRIEF, storeInFolder } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { readQuery } from '../../shared/query/parse.ts'
import { sortedSeqs } from './delivery-lists.ts'

test('sorting reads matching deliveries in the order of a column, and rejects once it is cancelled', async () => {
  const store = await storeInFolder(temporaryFolder(), BRIEF)
  const seqs = await Promise.all(['333', '1', '22'].map((body) => store.capture(captureOf(body))))
  await store.settled()
  const input = {
    query: readQuery('', { now: 0, hooks: [] }),
    by: 'size',
    descending: false,
  } as const
  const running = new AbortController()
  expect(await sortedSeqs({ store }, input, running.signal)).toEqual([seqs[1], seqs[2], seqs[0]])
  const cancelled = sortedSeqs({ store }, input, running.signal)
  running.abort()
  await expect(cancelled).rejects.toBe(running.signal.reason)
})
