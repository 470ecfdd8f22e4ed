/** Opened parts are closed whatever fails on the way. */
import { expect, test } from 'vitest'
import { closeAll } from './async.ts'

test('closes the last one first, all of them even if some fail, then rejects with the first failure', async () => {
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
  // closing twice does nothing the second time
  await closeAll(closers)
  expect(closed).toHaveLength(4)
})
