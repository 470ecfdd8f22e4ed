import { createElement } from 'react'
import { expect, test } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { DEFAULT_ANSWERING } from '../../../shared/model/hook.ts'
import { ResponseRule, rulePresets, ruleSentence } from './response-rule.tsx'

test('every preset describes itself', () => {
  expect(rulePresets.map(({ rule }) => ruleSentence(rule))).toEqual([
    'Returns 200 immediately.',
    'Fails the first attempt of each notification with 500, then returns 200 immediately.',
    'Returns 200 after 25 s. The service times out after 20 s, so every attempt fails (spec 6.4).',
    'Closes the connection without a response.',
  ])
})

test('a delay below 20 seconds does not time out', () => {
  expect(
    ruleSentence({
      ...DEFAULT_ANSWERING,
      status: 503,
      delayMs: 1_500,
      failFirst: 2,
      failStatus: 418,
    }),
  ).toBe('Fails the first 2 attempts of each notification with 418, then returns 503 after 1.5 s.')
})

test.each([
  ['accept', DEFAULT_ANSWERING, 'Returns 200 immediately.'],
  ['drop', { ...DEFAULT_ANSWERING, drop: true }, 'Closes the connection without a response.'],
  ['custom', { ...DEFAULT_ANSWERING, failStatus: 503 }, 'Failing attempts The first of each'],
] as const)('a rule opens at its preset: %s', (preset, answering, words) => {
  const hook = { id: 'h', mode: 'test', answering } as never
  const markup = markupOf(openAskedWindow(), createElement(ResponseRule, { hook }))
  expect(markup).toMatch(new RegExp(`<input[^>]*checked=""[^>]*value="${preset}"`))
  expect(textOf(markup)).toContain(words)
  expect(markup.includes('Failing attempts')).toBe(preset === 'custom')
})
