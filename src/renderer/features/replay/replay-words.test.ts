import { expect, test } from 'vitest'
import { replayWith, sendOf } from '../../../../test/support/model-values.ts'
import type { ListedSend, Replay } from '../../../shared/model/send.ts'
import {
  changesText,
  filtersOf,
  groupSends,
  resultSentence,
  resultsText,
  resumeText,
} from './replay-words.ts'

const replay = replayWith({ state: 'interrupted', total: 3_000 })

test('the remainder of an interrupted replay says how many requests may have arrived', () => {
  expect(resumeText({ ...replay, waiting: 1 })).toBe('1 left.')
  expect(resumeText({ ...replay, waiting: 2_000, underWay: 64 })).toMatch(
    /^2,064 left\. 64 were in progress .* sends them again/,
  )
  expect(resumeText({ ...replay, waiting: 3, underWay: 1 })).toMatch(
    /^4 left\. 1 was in progress .* marks it as uncertain\.$/,
  )
})

test('uncertain results are counted and have a filter if there are any', () => {
  const values = (one: Replay) => filtersOf(one).map(({ value }) => value)
  expect(values(replay)).not.toContain('uncertain')
  const marked = { ...replay, passed: 3_000, uncertain: 106 }
  expect(values(marked)).toContain('uncertain')
  expect(resultsText(marked)).toBe(
    '3,000 acknowledged, 106 uncertain: may have been sent before Countersign stopped, then sent again.',
  )
})

test("the previous result explains a new one, with the handler's name and status", () => {
  const failed = sendOf({ handler: 'local', status: 500, outcome: 'failed' })
  const passed = sendOf({ handler: 'local', status: 200, outcome: 'passed' })
  const changed = { ...failed, edited: ['body' as const] }
  expect(resultSentence(changed, failed, '"Already settled"')).toBe(
    'Still failing: @local returned 500 "Already settled" before your changes, too.',
  )
  expect(resultSentence(passed, { ...failed, handler: null }, '')).toBe(
    'Fixed: @local returned 500 before.',
  )
  expect(resultSentence({ ...failed, handler: null }, passed, '')).toBe(
    'Regressed: your handler returned 200 before.',
  )
  expect(resultSentence(passed, { ...failed, status: null }, '')).toBe(
    "Fixed: @local didn't respond before.",
  )
  expect(resultSentence(passed, null, '')).toBe('Passed.')
  expect(resultSentence(failed, null, '')).toMatch(/^Your handler failed/)
  expect(
    resultSentence(
      { ...passed, tamper: 'body', expected: 'rejected', outcome: 'failed' },
      passed,
      '',
    ),
  ).toMatch(/accepted a forged delivery/)
  expect(resultSentence({ ...failed, error: 'Refused.' }, passed, '')).toBe('Refused.')
})

test("a filter has its count; a saved handler's name replaces what signs", () => {
  const counts = filtersOf({ ...replay, failed: 94, total: 100, notSent: 2, cancelled: 1 })
  expect(counts.map(({ count }) => count)).toEqual([100, 94, 0, 0, 3])
  const signed = { ...replay, hookId: 'H', registeredUrl: 'https://a.example/' }
  expect(changesText(signed)).toContain('signed over https://a.example/')
  expect(changesText({ ...signed, handlerId: 'local', edited: ['body'] })).toBe('changed body')
})

test('a forged replay passes by being rejected', () => {
  const forged = {
    ...replay,
    tamper: 'stale',
    passed: 2,
    failed: 2,
    fixed: 1,
    regressed: 1,
  } as const
  expect(resultsText(forged)).toBe(
    '2 rejected, 2 not rejected, 1 now rejected, 1 no longer rejected.',
  )
  expect(resultsText({ ...forged, tamper: null, edited: ['signature'] })).toBe(resultsText(forged))
  const labels = (one: Replay) => filtersOf(one).map(({ label }) => label)
  expect(labels(forged)).toEqual([
    'All',
    'Not rejected',
    'No longer rejected',
    'Now rejected',
    'Not sent',
  ])
  expect(labels(replay)).toEqual(['All', 'Failed', 'Regressed', 'Fixed', 'Not sent'])
})

test('requests are grouped by what happened: failed ones first, then the largest group', () => {
  const send = (more: Partial<ListedSend>): ListedSend => ({
    ...sendOf(more),
    event: null,
    receivedAt: '2026-11-29T10:00:00.000Z',
  })
  const passed = send({ status: 200, outcome: 'passed' })
  const conflict = send({ status: 409, outcome: 'failed' })
  const regressed = send({ status: 409, outcome: 'regressed' })
  const refused = send({ status: null, errorKind: 'refused', outcome: 'failed' })
  const pending = send({ status: null, outcome: null, state: 'waiting' })
  const sends = [passed, refused, passed, pending, conflict, regressed, passed]
  expect(
    groupSends(sends).map((group) => [group.outcome.word, group.outcome.tone, group.sends.length]),
  ).toEqual([
    ['409 Conflict', 'bad', 2],
    ['Connection refused', 'bad', 1],
    ['200 OK', 'good', 3],
    ['pending', 'neutral', 1],
  ])
})
