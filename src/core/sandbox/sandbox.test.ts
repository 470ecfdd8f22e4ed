import { expect, test } from 'vitest'
import { startEndpoint } from '../../../test/support/https-endpoint.ts'
import {
  clock,
  endpoint,
  hasValidSignature,
  answerWith,
  register,
  sandbox,
  sandboxForEachTest,
  startAgain,
} from '../../../test/support/sandbox-fixture.ts'
import { startTestSandbox } from '../../../test/support/test-sandbox.ts'
import { makeTestTls } from '../../../test/support/tls.ts'
import type { AppError } from '../../shared/contract/errors.ts'
import type { Transaction } from '../../shared/service/resources.ts'

sandboxForEachTest()

const refusalOf = (...input: Parameters<typeof sandbox.trigger>) =>
  sandbox.trigger(...input).then(
    () => null,
    (error: unknown) => error as AppError,
  )

test('transaction.auth is sent to every hook of the event and mode, signed with its own secret, with its custom headers', async () => {
  const hook = (id: string, event: string, mode: 'test' | 'live') =>
    register(id, {
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

  const result = await sandbox.trigger({ event: 'transaction.auth', seed: 7 })

  expect(endpoint.calls.map(({ path }) => path).sort()).toEqual(['/one?a=1', '/two?a=1'])
  for (const call of endpoint.calls) {
    const id = call.path.slice(1, 4)
    expect(call).toMatchObject({
      method: 'POST',
      httpVersion: '1.1',
      headers: {
        'content-type': 'application/json',
        'x-tenant': id,
        'x-service-timestamp': String(clock.now()),
      },
    })
    expect(hasValidSignature(call, `secret of ${id}`)).toBe(true)
  }
  const attempts = [{ attempt: 1, status: 200, error: null, acknowledged: true }]
  const sent = JSON.parse(endpoint.calls[0]?.body.toString() ?? '') as Transaction
  expect(result).toMatchObject({
    event: 'transaction.auth',
    environment: 'sandbox-test',
    deliveries: [
      { hookId: 'one', state: 'acknowledged', attempts },
      { hookId: 'two', state: 'acknowledged' },
    ],
    objects: {
      transaction: sent.id,
      card: sent.card.id,
      location: sent.location.id,
      program: sent.programId,
    },
  })
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
    const refusal = await refusalOf({ event, environment })
    expect(refusal).toMatchObject({ code: 'NO_HOOK', message: expect.stringMatching(also) })
    expect(refusal?.message).toContain(
      `: countersign hooks add --environment ${environment} --event ${event}`,
    )
    expect(sandbox.notifications()).toEqual([])
  },
)

test('if several programs have hooks for the event, the first receives it and the others are named; without a hook, all are', async () => {
  const [one, two] = [
    '0a6f8f0e-0000-4000-8000-000000000001',
    '0a6f8f0e-0000-4000-8000-000000000002',
  ]
  await register('first', { event: 'card.linked', programId: one })
  await register('second', { event: 'card.linked', programId: two })
  const sentFor = async (programId?: string) => {
    const { objects, otherPrograms } = await sandbox.trigger({ event: 'card.linked', programId })
    return [objects['program'], otherPrograms.map(({ id }) => id)]
  }
  expect([await sentFor(), await sentFor(two)]).toEqual([
    [one, [two]],
    [two, []],
  ])
  expect((await refusalOf({ event: 'card.failed' }))?.message).toMatch(
    new RegExp(
      `card\\.failed\\. Programs: .*${one} \\(.+\\), ${two} \\(.+\\)\\. Create one: .+ --program `,
    ),
  )
  expect((await refusalOf({ event: 'card.failed', programId: two }))?.message).toMatch(
    new RegExp(`card\\.failed for program ${two}\\. Create one: .+ --program ${two}$`),
  )
})

test("a hook's certificate is verified by this computer's CA and by its environment's, from then on", async () => {
  const theirs = await makeTestTls()
  const endpoint = await startEndpoint(theirs.leaf)
  const trusted = { test: null as string | null, live: null as string | null }
  const sandbox = await startTestSandbox(await makeTestTls(), {
    extraCaOf: (mode) => trusted[mode],
  })
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
  answerWith(500)
  await register('h', { event: 'card.linked' })
  const { deliveries } = await sandbox.trigger({ event: 'card.linked' })
  expect(deliveries).toMatchObject([
    { state: 'pending', attempts: [{ status: 500, acknowledged: false }] },
  ])
  const nextAt = new Date(
    Date.parse(deliveries[0]?.attempts[0]?.sandboxAt ?? '') + 60_000,
  ).toISOString()
  expect(sandbox.notifications()).toMatchObject([{ mode: 'test', fault: null, nextAt }])
  await sandbox.close()
  expect(endpoint.calls).toHaveLength(1)

  answerWith(200)
  await startAgain()
  await clock.sleeping()
  expect(clock.waits()).toEqual([60_000])
  await clock.advance(60_000)
  const [one, two] = await endpoint.received(2)
  expect([one, two].map((call) => call !== undefined && hasValidSignature(call))).toEqual([
    true,
    true,
  ])
  expect(two?.body).toEqual(one?.body)
  expect(two?.headers['x-service-timestamp']).not.toBe(one?.headers['x-service-timestamp'])
  await expect.poll(() => sandbox.notifications()[0]?.state).toBe('acknowledged')
})
