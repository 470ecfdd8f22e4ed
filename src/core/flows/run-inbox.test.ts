import { expect, test } from 'vitest'
import type { RunHook } from './hooks.ts'
import { createHeldAnswers } from './hooks.ts'

const hookOf = (id: string, inTurn: (number | 'timeout' | 'drop')[]): RunHook => ({
  name: id,
  id,
  event: 'card.linked',
  url: `https://127.0.0.1/${id}`,
  wanted: {
    id,
    event: 'card.linked',
    answers: { failFirst: 0, failStatus: 500, holdFirst: 0, inTurn },
  },
})

function desk() {
  let now = 1_000
  const next: string[] = []
  const waiting: { readonly at: number; resolve(): void }[] = []
  const held = createHeldAnswers({
    time: { now: () => now },
    jump: (ms) => {
      now += ms
      return Promise.resolve()
    },
    sleepUntil: (at) => new Promise((resolve) => waiting.push({ at, resolve })),
    answerNext: ({ id }, turn) => {
      next.push(`${id}: ${turn}`)
      return Promise.resolve()
    },
  })
  return { held, next, waiting, now: () => now, pass: (ms: number) => (now += ms) }
}

test('as fast as possible the clock jumps 20 seconds once a held delivery has arrived, and only its attempt times out', async () => {
  const { held, next, now } = desk()
  const slow = hookOf('slow', ['timeout'])
  const other = hookOf('other', [])
  const attempts = [held.timeOutOf(slow.url), held.timeOutOf(other.url)]
  expect([now(), attempts.map(({ aborted }) => aborted)]).toEqual([1_000, [false, false]])
  await held.arrived(slow, true)
  expect([now(), next, attempts.map(({ aborted }) => aborted)]).toEqual([
    21_000,
    ['slow: null'],
    [true, false],
  ])

  const second = held.timeOutOf(slow.url)
  await held.arrived(slow, true)
  await held.arrived(other, true)
  expect([now(), second.aborted, attempts[1]?.aborted]).toEqual([21_000, false, false])
})

test('at a finite speed an attempt times out when the clock has reached its 20 seconds', async () => {
  const { held, waiting, now } = desk()
  const slow = hookOf('slow', ['timeout'])
  const attempt = held.timeOutOf(slow.url)
  await held.arrived(slow, false)
  expect([now(), attempt.aborted, waiting.map(({ at }) => at)]).toEqual([1_000, false, [21_000]])
  waiting[0]?.resolve()
  await expect.poll(() => attempt.aborted).toBe(true)
})

test('if sped up during the wait, the clock jumps by the rest', async () => {
  const { held, waiting, now, pass } = desk()
  const slow = hookOf('slow', ['timeout'])
  const attempt = held.timeOutOf(slow.url)
  await held.arrived(slow, false)
  pass(15_000)
  await held.leap()
  expect([now(), attempt.aborted]).toEqual([21_000, true])
  const second = held.timeOutOf(slow.url)
  waiting[0]?.resolve()
  await held.leap()
  expect([now(), second.aborted]).toEqual([21_000, false])
})

test('responses are given in turn, and only an attempt without one times out', async () => {
  const { held, next, now } = desk()
  const hook = hookOf('card', [500, 'timeout', 'drop'])
  const aborted = []
  for (let attempt = 1; attempt <= 4; attempt++) {
    const signal = held.timeOutOf(hook.url)
    await held.arrived(hook, true)
    aborted.push(signal.aborted)
  }
  expect([next, aborted, now()]).toEqual([
    ['card: timeout', 'card: drop', 'card: null'],
    [false, true, false, false],
    21_000,
  ])
})
