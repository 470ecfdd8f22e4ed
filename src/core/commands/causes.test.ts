import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { signatureOf } from '../../../test/support/deliver.ts'
import { coreInFolder } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { testWorkers } from '../../../test/support/test-core.ts'
import { until } from '../../../test/support/until.ts'

test('a diagnosis that failed because its thread ended is repeated, not stored as unexplained', async () => {
  const entry = new URL('../../../test/support/ending-diagnosis-thread.ts', import.meta.url)
  vi.stubEnv('ENDED_THREAD', join(temporaryFolder(), 'ended'))
  const core = await coreInFolder({ deps: { workers: { ...testWorkers(), diagnosis: entry } } })
  const url = `${core.receiver}/h/own`
  const secret = 'whsec_of_this_hook_0123456789'
  await core.call('hooks.import', { event: 'transaction.auth', url, secret })
  const body = '{"amount":10.00}'
  const timestamp = String(Date.now())
  await core.send(url, {
    body,
    headers: [
      ['x-service-signature', signatureOf(`"${secret}"`, body, url, timestamp)],
      ['x-service-timestamp', timestamp],
    ],
  })
  const { id } = await core.latest()
  const explained = await until(
    core.client,
    'deliveries.changed',
    () => core.call('deliveries.get', { id }),
    ({ cause }) => cause !== null,
  )
  vi.unstubAllEnvs()
  expect(explained.cause).toBe('secret:quoted')
})
