import { createElement } from 'react'
import { expect, test } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { PLAIN_ANSWER, answeringRuleSchema } from '../../../shared/model/hook.ts'
import {
  draftOfRule,
  plainAnswer,
  ResponseRule,
  ruleOfDraft,
  rulePresets,
  ruleSentence,
  sameRule,
} from './response-rule.tsx'

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
      ...plainAnswer,
      status: 503,
      delayMs: 1_500,
      failFirst: 2,
      failStatus: 418,
    }),
  ).toBe('Fails the first 2 attempts of each notification with 418, then returns 503 after 1.5 s.')
})

test('response rules are equal only if all their parts are', () => {
  expect(sameRule(plainAnswer, { ...plainAnswer, headers: {} })).toBe(true)
  expect(sameRule(plainAnswer, { ...plainAnswer, headers: { a: 'b' } })).toBe(false)
  expect(sameRule(plainAnswer, { ...plainAnswer, body: ' ' })).toBe(false)
})

test('a draft converts back to its rule', () => {
  for (const { rule } of rulePresets)
    expect(ruleOfDraft(draftOfRule(rule))).toEqual({ rule, problems: {} })
})

test("the schema accepts every rule within the form's bounds and none beyond them", () => {
  const bounds = {
    status: ['200', '599'],
    delay: ['0', '300'],
    failFirst: ['0', '100'],
    // A 2xx would be no failure.
    failStatus: ['300', '599'],
  } as const
  for (const [field, [least, most]] of Object.entries(bounds)) {
    for (const value of [least, most]) {
      const { rule } = ruleOfDraft({ ...draftOfRule(plainAnswer), [field]: value })
      expect(answeringRuleSchema.safeParse(rule).success, `${field} ${value}`).toBe(true)
    }
    for (const value of [String(Number(least) - 1), String(Number(most) + 1), '', 'x']) {
      const { rule, problems } = ruleOfDraft({ ...draftOfRule(plainAnswer), [field]: value })
      expect([rule, Object.keys(problems)], `${field} ${value}`).toEqual([null, [field]])
    }
  }
})

test("the form's default rule equals the model's", () => {
  expect(plainAnswer).toEqual(PLAIN_ANSWER)
})

test.each([
  ['accept', plainAnswer, 'Returns 200 immediately.'],
  ['drop', { ...plainAnswer, drop: true }, 'Closes the connection without a response.'],
  ['custom', { ...plainAnswer, status: 503 }, 'Failure status 300 to 599'],
] as const)('a rule opens at its preset: %s', (preset, answering, words) => {
  const hook = { id: 'h', mode: 'test', answering } as never
  const markup = markupOf(openAskedWindow(), createElement(ResponseRule, { hook }))
  expect(markup).toMatch(new RegExp(`<input[^>]*checked=""[^>]*value="${preset}"`))
  expect(textOf(markup)).toContain(words)
  expect(markup.includes('Failure status')).toBe(preset === 'custom')
})
