import { afterEach, expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { secretKey, signDelivery } from '../signature/sign.ts'
import {
  sendNotification,
  type NotificationProgress,
  type OutgoingNotification,
} from './deliveries.ts'
import type { SendRequest, SendResult, Sender } from '../outgoing/wire/sender.ts'
import { genuineSigner } from '../signature/signature-headers.ts'

const key = secretKey('the secret')
const url = 'https://127.0.0.1:1/in?x=1'
const outgoing: OutgoingNotification = {
  url,
  body: Buffer.from('{"id":1}'),
  headers: { 'X-Tenant': 'a' },
  prefix: 'acme',
  sign: genuineSigner(key),
}

const answered = (status: number | null): SendResult => ({
  status,
  ms: 12.3,
  phases: { connect: 2, wait: 10, body: 0.3 },
  failure: status === null ? { kind: 'timeout', message: 'No answer within 20 s.' } : null,
  headers: [],
  body: new Uint8Array(),
  truncated: false,
})

/** Returns the next result for each request. */
function script(
  clock: ReturnType<typeof createManualClock>,
  ...results: { status: number | null }[]
) {
  const requests: { at: number; request: SendRequest }[] = []
  const sender: Sender = {
    async send(request) {
      requests.push({ at: clock.now() - start, request })
      return answered((results[requests.length - 1] ?? { status: 500 }).status)
    },
    close: () => Promise.resolve(),
  }
  const start = clock.now()
  return { sender, requests }
}

let pending: Promise<NotificationProgress> | undefined
afterEach(async () => {
  await pending
  pending = undefined
})

/** The clock for the waits, built from one that sleeps by duration. */
function waitsOf(clock: ReturnType<typeof createManualClock>) {
  return {
    now: () => clock.now(),
    sleepUntil: (time: number, signal?: AbortSignal) =>
      clock.sleep(Math.max(0, time - clock.now()), signal),
  }
}

async function run(clock: ReturnType<typeof createManualClock>, sender: Sender) {
  const progress: NotificationProgress[] = []
  let ended = false
  pending = sendNotification(
    outgoing,
    sender,
    { wall: () => clock.now(), waits: waitsOf(clock) },
    {
      onAttempt: (each) => {
        progress.push(each)
      },
    },
  )
  void pending.then(() => (ended = true))
  for (let minutes = 0; minutes < 10 && !ended; minutes++) await clock.advance(60_000)
  return { end: await pending, progress }
}

test('fails immediately: attempts at 0:00, 1:00 and 3:00, each re-signed', async () => {
  const clock = createManualClock()
  const { sender, requests } = script(clock, { status: 500 }, { status: 404 }, { status: 503 })
  const { end, progress } = await run(clock, sender)
  expect(requests.map(({ at }) => at)).toEqual([0, 60_000, 180_000])
  expect(end).toMatchObject({ state: 'failed', dueAt: null })
  expect(
    end.attempts.map(({ attempt, status, acknowledged }) => [attempt, status, acknowledged]),
  ).toEqual([
    [1, 500, false],
    [2, 404, false],
    [3, 503, false],
  ])
  expect(end.attempts[0]?.error).toContain('returned 500')
  expect(progress.map(({ state }) => state)).toEqual(['pending', 'pending', 'failed'])
  for (const { request } of requests) {
    const headers = new Map(request.headers)
    const timestamp = headers.get('x-acme-timestamp') ?? ''
    expect(headers.get('x-acme-signature')).toBe(
      signDelivery({ body: outgoing.body, url, timestamp, key }).signature,
    )
    expect(request.headers.at(-1)).toEqual(['X-Tenant', 'a'])
  }
  expect(
    new Set(requests.map(({ request }) => new Map(request.headers).get('x-acme-timestamp'))).size,
  ).toBe(3)
})

test.each([
  [200, true],
  [201, false],
  [204, false],
  [301, false],
])('response %i: acknowledged is %s', async (status, acknowledged) => {
  const clock = createManualClock()
  const { sender } = script(clock, { status }, { status: 200 })
  const { end } = await run(clock, sender)
  expect(end.attempts[0]?.acknowledged).toBe(acknowledged)
})

test("a 200 whose body never ends isn't an acknowledgement", async () => {
  const clock = createManualClock()
  const sender: Sender = {
    send: () =>
      Promise.resolve({
        ...answered(200),
        failure: { kind: 'timeout' as const, message: 'did not end' },
      }),
    close: () => Promise.resolve(),
  }
  const { end } = await run(clock, sender)
  expect(end.attempts).toMatchObject([
    { status: 200, acknowledged: false, error: 'did not end' },
    {},
    {},
  ])
})

test('an abort during a wait leaves it pending, with the time of the next attempt', async () => {
  const clock = createManualClock()
  const { sender, requests } = script(clock, { status: 500 })
  const stop = new AbortController()
  const sent = sendNotification(
    outgoing,
    sender,
    { wall: () => clock.now(), waits: waitsOf(clock) },
    { signal: stop.signal },
  )
  await clock.sleeping()
  stop.abort()
  expect(await sent).toMatchObject({
    state: 'pending',
    dueAt: clock.now() + 60_000,
    attempts: [{ attempt: 1 }],
  })
  expect(requests).toHaveLength(1)
})
