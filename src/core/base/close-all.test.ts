/** What was opened is closed whatever fails on the way. */
import { expect, test } from 'vitest'
import { closeAll } from './close-all.ts'

test('closes the last one first, all of them though some fail, and then tells the first failure', async () => {
  const closed: string[] = []
  const closer = (name: string, error?: Error) => async () => {
    await Promise.resolve()
    closed.push(name)
    if (error !== undefined) throw error
  }
  const closers = [
    closer('folder'),
    () => {
      closed.push('feed')
      throw new Error('feed')
    },
    closer('store', new Error('store')),
    closer('flows'),
  ]
  await expect(closeAll(closers)).rejects.toThrow('store')
  expect(closed).toEqual(['flows', 'store', 'feed', 'folder'])
  // A second end of the same has nothing left to do.
  await closeAll(closers)
  expect(closed).toHaveLength(4)
})
