import { describe, expect, test } from 'vitest'
import { startEndpoint } from '../../../test/support/https-endpoint.ts'
import {
  answerWith,
  hooks,
  sandbox,
  sandboxForEachTest,
  SECRET,
} from '../../../test/support/sandbox-fixture.ts'
import { closeAtEnd } from '../../../test/support/temporary-folder.ts'
import { startTestSandbox, testAdmission } from '../../../test/support/test-sandbox.ts'
import { makeTestTls } from '../../../test/support/tls.ts'
import type { TriggerInput } from './trigger.ts'

sandboxForEachTest()

test.each([
  [200, true],
  [201, false],
  [204, false],
  [301, false],
])('response %i: acknowledged is %s', async (status, acknowledged) => {
  await hooks('test', ['card.linked'])
  answerWith(status)
  const { deliveries } = await sandbox.trigger({ event: 'card.linked' })
  expect(deliveries[0]?.attempts).toMatchObject([{ status, acknowledged }])
})

test("a 200 whose body doesn't end isn't an acknowledgement", async () => {
  await hooks('test', ['card.linked'])
  answerWith((request, response) => {
    response.writeHead(200, { 'content-length': '10' })
    response.write('{', () => request.socket.end())
  })
  const { deliveries } = await sandbox.trigger({ event: 'card.linked' })
  expect(deliveries[0]?.attempts).toMatchObject([
    { status: 200, acknowledged: false, error: expect.any(String) },
  ])
})

describe('a hook on a remote host', () => {
  /**
   * Starts a sandbox with one hook, and an endpoint that sees requests to any address of this
   * computer. From the second lookup on, names resolve to `later`.
   */
  async function start(urlOf: (port: string) => string, later = '127.0.0.1') {
    const tls = await makeTestTls()
    const canary = await startEndpoint(tls.leaf)
    closeAtEnd(canary.close)
    let lookups = 0
    const resolve = async () => {
      const address = lookups++ === 0 ? '127.0.0.1' : later
      if (address === '') throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
      return [address]
    }
    const started = await startTestSandbox(tls, { admission: testAdmission(tls, resolve) })
    closeAtEnd(started.close)
    const url = urlOf(new URL(canary.origin).port)
    const hook = { id: 'remote', event: 'card.linked', url, secret: SECRET, mode: 'test' } as const
    await started.registerHook(hook)
    const trigger = (input: Partial<TriggerInput> = {}) =>
      started.trigger({ event: 'card.linked', ...input })
    return { canary, trigger, notifications: started.notifications }
  }

  test.each([
    ['192.0.2.1', 'moves.example (192.0.2.1) is a remote host, so nothing was sent.'],
    ['', "moves.example can't be resolved, so it may be a remote host."],
  ])(
    'is judged again at the connection: a name that is %j by then gets nothing',
    async (later, why) => {
      const { canary, trigger } = await start((port) => `https://moves.example:${port}/`, later)
      const reason = expect.stringContaining(why)
      expect((await trigger()).deliveries).toMatchObject([
        { state: 'not-sent', reason, attempts: [], nextAt: null },
      ])
      expect(canary.calls).toEqual([])
    },
  )
})
