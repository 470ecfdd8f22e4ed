import { expect, test } from 'vitest'
import { BRIEF, databaseInFolder, storeInFolder } from '../../../test/support/in-folder.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { readArrival, type Arrival } from './arrivals.ts'

test('recognizes a duplicate however many other deliveries still wait to be described', async () => {
  const database = databaseInFolder()
  database.put(Array.from({ length: 12_000 }, () => captureOf('not JSON')))
  database.db.close()
  const store = await storeInFolder(database.folder, BRIEF)
  const seqOf = () =>
    store.capture(captureOf('{}', { hookId: 'hook', verdict: 'valid', notificationKey: 1 }))
  const read = async (seq: number, earlier: readonly Arrival[]) => {
    const [row] = await store.read('rowsBySeq', [seq])
    return readArrival(
      store,
      {
        row: row!,
        hook: 'hook',
        event: 'card.linked',
        receivedIndex: earlier.length,
        businessAt: 0,
        fault: null,
      },
      earlier,
    )
  }
  const first = await seqOf()
  store.answered({ seq: first, status: 200, ms: 1 })
  const arrival = await read(first, [])
  const again = await read(await seqOf(), [arrival])
  expect([again.attempt, again.duplicateOf]).toEqual([1, arrival.row.id])
  await store.close()
})
