/**
 * The sandbox checks a URL's certificate when a hook is registered. The receiver must not record
 * that connection as a delivery.
 */
import { beforeAll, expect, test } from 'vitest'
import { coreInFolder } from '../support/in-folder.ts'
import type { TestCore } from '../support/test-core.ts'

let core: TestCore
beforeAll(async () => {
  core = await coreInFolder()
})

test('registering hooks for our own receiver leaves no malformed delivery', async () => {
  const { call } = core
  const programId = await core.program()
  for (let index = 0; index < 10; index++)
    await call('hooks.add', {
      event: 'transaction.auth',
      environment: 'sandbox-test',
      programId,
      url: `${core.receiver}/h/own-${index}`,
    })
  const { store } = await call('app.status', {})
  expect(store.deliveries).toBe(0)
})
