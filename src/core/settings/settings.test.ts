import { beforeEach, expect, test } from 'vitest'
import { BRIEF, storeInFolder } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { testDeps } from '../../../test/support/test-core.ts'
import type { View } from '../../shared/model/view.ts'
import { createEventHub } from '../base/event-hub.ts'
import { createIds } from '../base/ids.ts'
import type { Store } from '../store/store.ts'
import { openViews, type Views } from './views.ts'

let folder: string
let store: Store
let reported: (readonly View[])[]

function open(): Promise<Views> {
  const { clock, log, randomBytes } = testDeps(folder)
  const hub = createEventHub()
  hub.on('views.changed', ({ views }) => reported.push(views))
  return openViews({ store, ids: createIds(clock, randomBytes), log, hub })
}

beforeEach(async () => {
  folder = temporaryFolder()
  store = await storeInFolder(folder, BRIEF)
  reported = []
})

test("a view that can't be saved is rejected, and nothing changes", async () => {
  const views = await open()
  const { id } = await views.save({ name: 'Refunds', query: 'event:*.refund' })
  await expect(views.save({ name: 'refunds', query: 'a' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  await expect(views.save({ name: 'X', query: 'is:' })).rejects.toMatchObject({
    code: 'INVALID_QUERY',
  })
  await expect(views.save({ id: 'gone', name: 'X', query: 'a' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  await expect(views.remove('gone')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(views.list().map((view) => view.id)).toEqual([id])
  // A view's own name isn't a conflict.
  await views.save({ id, name: 'REFUNDS', query: 'a' })
})

test('unreadable stored views are ignored, and new ones can be saved', async () => {
  await store.write('writeSetting', { name: 'views', value: '[{"name":' })
  const views = await open()
  expect(views.list()).toEqual([])
  await views.save({ name: 'A', query: 'a' })
  expect((await open()).list()).toHaveLength(1)
})
