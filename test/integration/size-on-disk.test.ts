import { beforeAll, expect, test } from 'vitest'
import { coreInFolder } from '../support/in-folder.ts'
import type { TestCore } from '../support/test-core.ts'

let core: TestCore
beforeAll(async () => {
  core = await coreInFolder()
})

test('the size on disk follows the stored data within seconds', async () => {
  const { store: before } = await core.call('app.status', {})
  const reported: number[] = []
  core.client.on('store.changed', ({ bytes }) => reported.push(bytes))
  for (let index = 0; index < 10; index++)
    await core.send(`${core.receiver}/grow`, {
      body: Buffer.alloc(200_000, index),
      headers: [],
    })
  await expect.poll(() => reported.at(-1) ?? 0).toBeGreaterThan(before.bytes + 1_900_000)
  const { store: after } = await core.call('app.status', {})
  expect(reported.at(-1)).toBeLessThanOrEqual(after.bytes)
})
