import { expect, test } from 'vitest'
import { createFollowUp } from './follow-up.ts'
import type { AnswerRow, Described } from './describe-repo.ts'

const NOTHING: Described = { seqs: [], hasMore: false, bug: null }
const responseTo = (seq: number): AnswerRow => ({ seq, status: 200, ms: 1 })

/** Describes as the test says, one call after the other; afterwards successfully. */
function follow(calls: readonly (Described | Error)[]) {
  const sent: number[][] = []
  const described: number[] = []
  const logged: string[] = []
  const followUp = createFollowUp({
    describe(answers) {
      const call = calls[sent.length] ?? NOTHING
      sent.push(answers.map(({ seq }) => seq))
      return call instanceof Error ? Promise.reject(call) : Promise.resolve(call)
    },
    onDescribed: (seqs) => described.push(...seqs),
    isBusy: () => false,
    log: {
      info: () => undefined,
      warn: (message) => logged.push(message),
      bug: (error) => String(logged.push((error as Error).message)),
    },
  })
  return { followUp, sent, described, logged }
}

test('deliveries that are stored together are described together, piece by piece until nothing is left', async () => {
  const { followUp, sent, described } = follow([
    { seqs: [1, 2], hasMore: true, bug: null },
    { seqs: [3], hasMore: false, bug: null },
  ])
  followUp.stored()
  followUp.stored()
  followUp.answered(responseTo(1))
  await followUp.settled(10_000)
  expect(sent).toEqual([[1], []])
  expect(described).toEqual([1, 2, 3])
})

test('responses that could not be stored are sent again, in order, and reported once', async () => {
  const full = new Error('database or disk is full')
  const { followUp, sent, logged } = follow([full, full])
  followUp.answered(responseTo(1))
  await followUp.settled(10_000)
  followUp.answered(responseTo(2))
  // It failed just now, so nobody waits for it.
  await followUp.settled(10_000)
  expect(sent).toEqual([[1]])
  await expect.poll(() => sent.length, { timeout: 10_000 }).toBe(3)
  expect(sent).toEqual([[1], [1, 2], [1, 2]])
  expect(logged).toEqual(["Deliveries can't be described for now."])
})

test('closing describes what waits, and a payload that made describing fail is reported', async () => {
  const { followUp, sent, logged } = follow([{ seqs: [1], hasMore: true, bug: 'It broke.' }])
  followUp.stored()
  await followUp.close()
  expect(sent).toEqual([[], []])
  expect(logged).toEqual(['It broke.'])
  followUp.stored()
  expect(sent).toHaveLength(2)
})
