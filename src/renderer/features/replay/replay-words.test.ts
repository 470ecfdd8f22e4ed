import { expect, test } from 'vitest'
import { replayJobOf } from '../../../../test/support/model-values.ts'
import type { ReplayJob } from '../../../shared/model/send.ts'
import { resultsText, filtersOf, resumeText } from './replay-words.ts'

const job = replayJobOf({ state: 'interrupted', total: 3_000 })

test('the remainder of an interrupted replay says how many requests may have arrived', () => {
  expect(resumeText({ ...job, waiting: 1 })).toBe('1 left.')
  expect(resumeText({ ...job, waiting: 2_000, underWay: 64 })).toMatch(
    /^2,064 left\. 64 were in progress .* sends them again/,
  )
  expect(resumeText({ ...job, waiting: 3, underWay: 1 })).toMatch(
    /^4 left\. 1 was in progress .* marks it as uncertain\.$/,
  )
})

test('uncertain results are counted and have a filter if there are any', () => {
  const values = (one: ReplayJob) => filtersOf(one).map(({ value }) => value)
  expect(values(job)).not.toContain('uncertain')
  const marked = { ...job, passed: 3_000, uncertain: 106 }
  expect(values(marked)).toContain('uncertain')
  expect(resultsText(marked)).toBe(
    '3,000 acknowledged, 106 uncertain: may have been sent before Countersign stopped, then sent again.',
  )
})

test('a forged replay passes by being rejected', () => {
  const forged = { ...job, tamper: 'stale', passed: 2, failed: 2, fixed: 1, regressed: 1 } as const
  expect(resultsText(forged)).toBe(
    '2 rejected, 2 not rejected, 1 now rejected, 1 no longer rejected.',
  )
  expect(resultsText({ ...forged, tamper: null, edited: ['signature'] })).toBe(resultsText(forged))
  const labels = (one: ReplayJob) => filtersOf(one).map(({ label }) => label)
  expect(labels(forged)).toEqual([
    'All',
    'Not rejected',
    'No longer rejected',
    'Now rejected',
    'Not sent',
  ])
  expect(labels(job)).toEqual(['All', 'Failed', 'Regressed', 'Fixed', 'Not sent'])
})
