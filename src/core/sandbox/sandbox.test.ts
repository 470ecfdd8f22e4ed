import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEndpoint, type ReceivedCall } from '../../../test/support/https-endpoint.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { bugs, startTestSandbox } from '../../../test/support/test-sandbox.ts'
import { makeTestTls, type TestTls } from '../../../test/support/tls.ts'
import type { AppError } from '../../shared/contract/errors.ts'
import type { Transaction } from '../../shared/service/resources.ts'
import { memoryStorage } from './records.ts'

let tls: TestTls
beforeAll(async () => {
  tls = await makeTestTls()
})
afterAll(() => {
  expect(bugs).toEqual([])
})

/** Computes a signature by section 5.2, independent of the code under test. */
function signatureOf(call: ReceivedCall, url: string, secret: string): string {
  const text = Buffer.concat([
    call.body,
    Buffer.from(url),
    Buffer.from(call.headers['x-service-timestamp'] ?? ''),
  ])
  const first = createHmac('sha256', secret).update(text).digest('base64')
  return createHmac('sha256', secret).update(first).digest('base64')
}

test('transaction.auth is sent to every hook of the event and mode, signed with its own secret, with its custom headers', async () => {
  const endpoint = await startEndpoint(tls.leaf)
  const clock = createManualClock()
  const sandbox = await startTestSandbox(tls, { clock })
  const hook = (id: string, event: string, mode: 'test' | 'live') =>
    sandbox.registerHook({
      id,
      event,
      url: `${endpoint.origin}/${id}?a=1`,
      secret: `secret of ${id}`,
      headers: { 'X-Tenant': id },
      mode,
    })
  await hook('one', 'transaction.auth', 'test')
  await hook('two', 'transaction.auth', 'test')
  await hook('other-event', 'transaction.clearing', 'test')
  await hook('other-mode', 'transaction.auth', 'live')

  const result = await sandbox.trigger({
    event: 'transaction.auth',
    environment: 'sandbox-test',
    seed: 7,
  })

  expect(endpoint.calls.map(({ path }) => path).sort()).toEqual(['/one?a=1', '/two?a=1'])
  for (const call of endpoint.calls) {
    const id = call.path.slice(1, 4)
    expect(call).toMatchObject({ method: 'POST', httpVersion: '1.1' })
    expect(call.headers['content-type']).toBe('application/json')
    expect(call.headers['x-tenant']).toBe(id)
    expect(call.headers['x-service-timestamp']).toBe(String(clock.now()))
    expect(call.headers['x-service-signature']).toBe(
      signatureOf(call, `${endpoint.origin}${call.path}`, `secret of ${id}`),
    )
  }
  expect(result).toMatchObject({ event: 'transaction.auth', environment: 'sandbox-test' })
  expect(result.deliveries.map(({ hookId, state }) => [hookId, state])).toEqual([
    ['one', 'acknowledged'],
    ['two', 'acknowledged'],
  ])
  expect(result.deliveries[0]?.attempts).toMatchObject([
    { attempt: 1, status: 200, error: null, acknowledged: true },
  ])
  const sent = JSON.parse(endpoint.calls[0]?.body.toString() ?? '') as Transaction
  expect(result.objects).toMatchObject({
    transaction: sent.id,
    card: sent.card.id,
    location: sent.location.id,
    program: sent.programId,
  })
  await sandbox.close()
  await endpoint.close()
})

test.each([
  [
    'transaction.auth',
    'sandbox-test',
    /^No hook .* receives transaction\.auth or transaction\.auth\.qualified\. /,
  ],
  ['transaction.refund.qualified', 'sandbox-live', / --program [0-9a-f-]{36} --live$/],
  ['brand.consent', 'sandbox-test', / --event brand\.consent$/],
])(
  'without a hook %s in %s is rejected, with the command that creates one',
  async (event, environment, also) => {
    const sandbox = await startTestSandbox(tls)
    const refusal = await sandbox
      .trigger({ event, environment })
      .catch((error: unknown) => error as AppError)
    expect(refusal).toMatchObject({
      code: 'NO_HOOK',
      message: expect.stringMatching(also),
    })
    expect((refusal as AppError).message).toContain(
      `: countersign hooks add --environment ${environment} --event ${event}`,
    )
    expect(sandbox.notifications()).toEqual([])
    await sandbox.close()
  },
)

test('if several programs have hooks for the event, the first receives it and the others are named; without a hook, all are', async () => {
  const endpoint = await startEndpoint(tls.leaf)
  const sandbox = await startTestSandbox(tls)
  const [one, two] = [
    '0a6f8f0e-0000-4000-8000-000000000001',
    '0a6f8f0e-0000-4000-8000-000000000002',
  ]
  const hook = { event: 'card.linked', secret: 's', mode: 'test' } as const
  await sandbox.registerHook({
    ...hook,
    id: 'first',
    programId: one,
    url: `${endpoint.origin}/first`,
  })
  await sandbox.registerHook({
    ...hook,
    id: 'second',
    programId: two,
    url: `${endpoint.origin}/second`,
  })
  const sentFor = async (programId?: string) => {
    const { objects, otherPrograms } = await sandbox.trigger({ event: 'card.linked', programId })
    return [objects['program'], otherPrograms.map(({ id }) => id)]
  }
  expect([await sentFor(), await sentFor(two)]).toEqual([
    [one, [two]],
    [two, []],
  ])
  const refusal = async (programId?: string) => {
    const { message } = await sandbox.trigger({ event: 'card.failed', programId }).then(
      () => ({ message: '' }),
      (error: unknown) => error as AppError,
    )
    return message
  }
  expect(await refusal()).toMatch(
    new RegExp(
      `card\\.failed\\. Programs: .*${one} \\(.+\\), ${two} \\(.+\\)\\. Create one: .+ --program `,
    ),
  )
  expect(await refusal(two)).toMatch(
    new RegExp(`card\\.failed for program ${two}\\. Create one: .+ --program ${two}$`),
  )
  await sandbox.close()
  await endpoint.close()
})

test("a hook's certificate is verified by this computer's CA and by its environment's, from then on", async () => {
  const theirs = await makeTestTls()
  const endpoint = await startEndpoint(theirs.leaf)
  const trusted = { test: null as string | null, live: null as string | null }
  const sandbox = await startTestSandbox(tls, { trustedBy: (mode) => trusted[mode] })
  for (const mode of ['test', 'live'] as const) {
    await sandbox.registerHook({
      id: mode,
      event: 'card.linked',
      url: `${endpoint.origin}/${mode}`,
      secret: 's',
      mode,
    })
  }
  const attempts = async () => {
    const ran = ['sandbox-test', 'sandbox-live'].map((environment) =>
      sandbox.trigger({ event: 'card.linked', environment }),
    )
    return (await Promise.all(ran)).map(({ deliveries }) => deliveries[0]?.attempts[0]?.error)
  }
  const untrusted = (name: string) =>
    expect.stringContaining(`"countersign environments update ${name} --ca FILE`)
  expect(await attempts()).toEqual([untrusted('sandbox-test'), untrusted('sandbox-live')])
  trusted.test = theirs.caPem
  expect(await attempts()).toEqual([null, expect.stringContaining('certificate')])
  await sandbox.close()
  await endpoint.close()
})

test('an unacknowledged notification is resumed after a restart, when it is due', async () => {
  const endpoint = await startEndpoint(tls.leaf, (call) => (call === 1 ? 500 : 200))
  const clock = createManualClock()
  const storage = memoryStorage()
  const first = await startTestSandbox(tls, { clock, storage })
  await first.registerHook({
    id: 'h',
    event: 'card.linked',
    url: `${endpoint.origin}/h`,
    secret: 's',
    mode: 'test',
  })
  const result = await first.trigger({ event: 'card.linked' })
  expect(result.deliveries).toMatchObject([
    { state: 'pending', attempts: [{ status: 500, acknowledged: false }] },
  ])
  const nextAt = new Date(
    Date.parse(result.deliveries[0]?.attempts[0]?.sandboxAt ?? '') + 60_000,
  ).toISOString()
  expect(first.notifications()).toMatchObject([{ mode: 'test', fault: null, nextAt }])
  await first.close()
  expect(endpoint.calls).toHaveLength(1)

  const second = await startTestSandbox(tls, { clock, storage })
  await clock.sleeping()
  expect(clock.waits()).toEqual([60_000])
  await clock.advance(60_000)
  const calls = await endpoint.received(2)
  for (const call of calls) {
    expect(call.body.equals(calls[0]?.body ?? Buffer.alloc(0))).toBe(true)
    expect(call.headers['x-service-signature']).toBe(signatureOf(call, `${endpoint.origin}/h`, 's'))
  }
  expect(calls[1]?.headers['x-service-timestamp']).not.toBe(
    calls[0]?.headers['x-service-timestamp'],
  )
  await expect.poll(() => second.notifications()[0]?.state).toBe('acknowledged')
  await second.close()
  await endpoint.close()
})
