import { expect, test } from 'vitest'
import { deliveryRow, storedTarget } from '../../../test/support/delivery-row.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { BLANK_DELIVERY, type Delivery } from '../../shared/model/delivery.ts'
import type { SendResult } from '../outgoing/send.ts'
import type { SendRequest } from '../outgoing/wire/send-request.ts'
import { createOwnSends } from '../outgoing/own-sends.ts'
import type { QueuedSend } from '../store/forward-queue.ts'
import type { EndedSend, SendsBatch } from '../store/record-sends.ts'
import { ForwardQueue, type QueueDeps } from './forward-queue.ts'
import { Leases } from './leases.ts'

const OLD = 'http://127.0.0.1:1/old'
const NEW = 'http://127.0.0.1:2/new'

const targetAt = (url: string) => storedTarget({ url })

const delivery: Delivery = {
  ...BLANK_DELIVERY,
  ...deliveryRow(1, { id: 'one', hookId: 'hook' }),
}
const answered: SendResult = {
  status: 200,
  ms: 1,
  phases: { connect: 0, wait: 1, body: 0 },
  failure: null,
  headers: [],
  body: new Uint8Array(),
  truncated: false,
}
const refused: SendResult = {
  ...answered,
  status: null,
  failure: { kind: 'refused', message: 'Nothing listens there.' },
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * Creates a queue with its deliveries in memory. The test controls every request, signature and
 * read.
 */
function testQueue() {
  const clock = createManualClock()
  const rows: {
    seq: number
    lane: string
    state: 'waiting' | 'under-way' | 'settled' | 'not-sent'
  }[] = []
  const of = (seq: number) => rows.find((row) => row.seq === seq)!
  const sends: (Pick<SendRequest, 'url' | 'timeoutMs'> & {
    resolve: (result: SendResult) => void
  })[] = []
  const warnings: string[] = []
  let opening: Promise<unknown> = Promise.resolve()
  const store = {
    read: (_: string, { busy }: { busy: readonly string[] }) => {
      const page = rows.flatMap(({ seq, lane, state }): QueuedSend[] =>
        state === 'waiting' && !busy.includes(lane)
          ? [
              {
                seq,
                position: seq,
                deliverySeq: seq,
                tries: 0,
                answers: false,
                lane,
                delivery,
                body: new Uint8Array(),
              },
            ]
          : [],
      )
      return Promise.resolve(page)
    },
    write: (name: string, input: unknown) => {
      if (name === 'beginForward') of((input as { seq: number }).seq).state = 'under-way'
      else if (name === 'requeueForward') of(input as number).state = 'waiting'
      else {
        const sends = JSON.parse((input as SendsBatch).sends) as EndedSend[]
        for (const { position, state } of sends) of(position).state = state
      }
      return Promise.resolve()
    },
  } as unknown as QueueDeps['store']
  const senderTo: QueueDeps['senderTo'] = () => () => ({
    send: ({ url, timeoutMs, signal }: SendRequest) =>
      new Promise<SendResult>((resolve) => {
        sends.push({ url, timeoutMs, resolve })
        signal?.addEventListener('abort', () => {
          resolve({ ...refused, failure: { kind: 'cancelled', message: 'Request cancelled.' } })
        })
      }),
    close: () => Promise.resolve(),
  })
  const queue = new ForwardQueue(
    {
      store,
      clock,
      log: {
        info: () => undefined,
        warn: (_, fields) => warnings.push(String(fields?.['reason'])),
        bug: () => 'test',
      },
      senderTo,
      isAgreed: () => true,
      ownSends: createOwnSends(clock),
      leases: new Leases(clock),
      prefixes: () => ['service'],
      hookOf: async () => {
        await opening
        return null
      },
      onChanged: () => undefined,
      bodyLimit: () => 65_536,
    },
    targetAt(OLD),
  )
  return {
    clock,
    queue,
    rows,
    sends,
    warnings,
    add: (lane = 'hook') => rows.push({ seq: rows.length + 1, lane, state: 'waiting' }),
    holdOpening: () => {
      const held = Promise.withResolvers<undefined>()
      opening = held.promise
      return () => {
        held.resolve(undefined)
      }
    },
  }
}

test('a delivery that arrives just when the queue found itself empty is sent', async () => {
  for (let microtasks = 0; microtasks < 12; microtasks++) {
    const { queue, add, sends } = testQueue()
    queue.proceed()
    for (let passed = 0; passed < microtasks; passed++) await Promise.resolve()
    add()
    queue.proceed()
    await turn()
    expect([microtasks, sends.length]).toEqual([microtasks, 1])
    await queue.stop({ leavesInProgress: true })
  }
})

test("a delivery that is being prepared while its target's URL changes is prepared again for the new URL", async () => {
  const { queue, add, sends, rows, warnings, holdOpening } = testQueue()
  const open = holdOpening()
  add()
  queue.proceed()
  await turn()
  queue.change({ ...targetAt(NEW), paused: true })
  open()
  await turn()
  expect([sends, warnings, rows[0]?.state]).toEqual([[], [], 'waiting'])
  queue.change(targetAt(NEW))
  await turn()
  expect(sends.map(({ url }) => url)).toEqual([NEW])
  sends[0]?.resolve(answered)
  await turn()
  expect([rows[0]?.state, queue.state.light]).toEqual(['settled', 'up'])
})

test.each([
  ['rule', 20_000],
  ['at-once', 2_147_483_647],
] as const)('a target with the answer %s gives the handler %d ms', async (answer, timeoutMs) => {
  const { queue, add, sends } = testQueue()
  queue.change(storedTarget({ url: OLD, answer }))
  add()
  queue.proceed()
  await turn()
  expect(sends).toMatchObject([{ timeoutMs }])
  await queue.stop({ leavesInProgress: true })
})

test("a failed connection says nothing about the target's new URL", async () => {
  const { queue, add, sends, rows } = testQueue()
  add()
  queue.proceed()
  await turn()
  queue.change(targetAt(NEW))
  sends[0]?.resolve(refused)
  await turn()
  expect(queue.state).toMatchObject({ light: 'new', problem: null, nextTryAt: null })
  expect(sends.map(({ url }) => url)).toEqual([OLD, NEW])
  sends[1]?.resolve(answered)
  await turn()
  expect(rows[0]?.state).toBe('settled')
})

test('while a target is down, one delivery finds out whether it is up again, for all hooks', async () => {
  const { clock, queue, add, sends } = testQueue()
  add('one')
  add('other')
  queue.proceed()
  await turn()
  for (const { resolve } of [...sends]) resolve(refused)
  await clock.advance(1_000)
  expect([queue.state.light, sends.length]).toEqual(['down', 3])
  sends[2]?.resolve(answered)
  await turn()
  expect([queue.state.light, sends.length]).toEqual(['up', 4])
  await queue.stop({ leavesInProgress: true })
})

test.each([
  [true, 'waiting'],
  [false, 'not-sent'],
])(
  "a request that was recorded but not sent before closing (%s) isn't treated as possibly arrived",
  async (uncertain, state) => {
    const { queue, add, sends, rows, holdOpening } = testQueue()
    const open = holdOpening()
    add()
    queue.proceed()
    await turn()
    const stopped = queue.stop({ leavesInProgress: uncertain })
    open()
    await stopped
    expect([sends, rows[0]?.state]).toEqual([[], state])
  },
)
