import { expect, test } from 'vitest'
import type { RunHook } from './run-hooks.ts'
import { createHeldAnswers } from './run-inbox.ts'

const hookOf = (id: string, holdFirst: number): RunHook => ({
  name: id,
  id,
  event: 'card.linked',
  url: `https://127.0.0.1/${id}`,
  wanted: { id, event: 'card.linked', answers: { failFirst: 0, failStatus: 500, holdFirst } },
})

function desk() {
  let now = 1_000
  const plain: string[] = []
  const held = createHeldAnswers({
    time: { now: () => now },
    jump: (ms) => {
      now += ms
      return Promise.resolve()
    },
    answerPlainly: ({ id }) => {
      plain.push(id)
      return Promise.resolve()
    },
  })
  return { held, plain, now: () => now, pass: (ms: number) => (now += ms) }
}

test('as fast as possible the clock jumps 20 seconds once a held delivery has arrived, and only its attempt times out', async () => {
  const { held, plain, now } = desk()
  const slow = hookOf('slow', 1)
  const other = hookOf('other', 0)
  const attempts = [held.timeOutOf(slow.url), held.timeOutOf(other.url)]
  expect([now(), attempts.map(({ aborted }) => aborted)]).toEqual([1_000, [false, false]])
  await held.arrived(slow, true)
  expect([now(), plain, attempts.map(({ aborted }) => aborted)]).toEqual([21_000, ['slow'], [true, false]])

  const second = held.timeOutOf(slow.url)
  await held.arrived(slow, true)
  await held.arrived(other, true)
  expect([now(), second.aborted, attempts[1]?.aborted]).toEqual([21_000, false, false])
})

test('at a finite speed nothing jumps; if sped up during the wait, the clock jumps by the rest', async () => {
  const { held, now, pass } = desk()
  const slow = hookOf('slow', 1)
  const attempt = held.timeOutOf(slow.url)
  await held.arrived(slow, false)
  expect([now(), attempt.aborted]).toEqual([1_000, false])
  pass(15_000)
  await held.leap()
  expect([now(), attempt.aborted]).toEqual([21_000, true])
  await held.leap()
  expect(now()).toBe(21_000)
})
