import { expect, test } from 'vitest'
import {
  answerWith,
  clock,
  endpoint,
  hooks,
  isGenuine,
  sandbox,
  sandboxForEachTest,
} from '../../../test/support/sandbox-fixture.ts'

sandboxForEachTest()

test('fails immediately: attempts at 0:00, 1:00 and 3:00, each re-signed', async () => {
  await hooks('test', ['card.linked'])
  answerWith(500)
  const began = clock.now()
  const { deliveries } = await sandbox.trigger({ event: 'card.linked' })
  expect(deliveries).toMatchObject([{ state: 'pending' }])
  expect(deliveries[0]?.attempts[0]?.error).toContain('returned 500')
  for (const [status, wait] of [
    [404, 60_000],
    [503, 120_000],
  ] as const) {
    await clock.sleeping()
    expect(clock.waits()).toEqual([wait])
    answerWith(status)
    const before = endpoint.calls.length
    await clock.advance(wait)
    await endpoint.received(before + 1)
    await expect.poll(() => sandbox.notifications()[0]?.attempts.length).toBe(endpoint.calls.length)
  }
  const [notification] = sandbox.notifications()
  expect(notification).toMatchObject({ state: 'failed', nextAt: null })
  expect(
    notification?.attempts.map(({ attempt, status, acknowledged, at }) => [
      attempt,
      status,
      acknowledged,
      Date.parse(at) - began,
    ]),
  ).toEqual([
    [1, 500, false, 0],
    [2, 404, false, 60_000],
    [3, 503, false, 180_000],
  ])
  for (const call of endpoint.calls) expect(isGenuine(call)).toBe(true)
  const timestamps = endpoint.calls.map(({ headers }) => headers['x-service-timestamp'])
  expect(new Set(timestamps).size).toBe(3)
})

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
    { status: 200, acknowledged: false, error: expect.any(String) as string },
  ])
})
