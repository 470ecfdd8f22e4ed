import { expect, test } from 'vitest'
import { PLAIN_ANSWER, answeringRuleSchema } from '../../../shared/model/hook.ts'
import {
  answeringDraft,
  answeringPresets,
  answeringSentence,
  plainAnswer,
  ruleOfDraft,
  sameAnswer,
} from './answering.ts'

test('every preset describes itself', () => {
  expect(answeringPresets.map(({ rule }) => answeringSentence(rule))).toEqual([
    'Returns 200 immediately.',
    'Fails the first 2 attempts of each notification with 500, then returns 200 immediately.',
    'Returns 200 after 25 s. The service times out after 20 s, so every attempt fails (spec 6.4).',
    'Closes the connection without a response.',
  ])
})

test('a delay below 20 seconds does not time out', () => {
  expect(
    answeringSentence({
      ...plainAnswer,
      status: 503,
      delayMs: 1_500,
      failFirst: 1,
      failStatus: 418,
    }),
  ).toBe('Fails the first attempt of each notification with 418, then returns 503 after 1.5 s.')
})

test('response rules are equal only if all their parts are', () => {
  expect(sameAnswer(plainAnswer, { ...plainAnswer, headers: {} })).toBe(true)
  expect(sameAnswer(plainAnswer, { ...plainAnswer, headers: { a: 'b' } })).toBe(false)
  expect(sameAnswer(plainAnswer, { ...plainAnswer, body: ' ' })).toBe(false)
})

test('a draft converts back to its rule', () => {
  for (const { rule } of answeringPresets)
    expect(ruleOfDraft(answeringDraft(rule))).toEqual({ rule, problems: {} })
})

test("the schema accepts every rule within the form's bounds and none beyond them", () => {
  const bounds = {
    status: ['200', '599'],
    delay: ['0', '300'],
    failFirst: ['0', '100'],
    failStatus: ['200', '599'],
  } as const
  for (const [field, [least, most]] of Object.entries(bounds)) {
    for (const value of [least, most]) {
      const { rule } = ruleOfDraft({ ...answeringDraft(plainAnswer), [field]: value })
      expect(answeringRuleSchema.safeParse(rule).success, `${field} ${value}`).toBe(true)
    }
    for (const value of [String(Number(least) - 1), String(Number(most) + 1), '', 'x']) {
      const { rule, problems } = ruleOfDraft({ ...answeringDraft(plainAnswer), [field]: value })
      expect([rule, Object.keys(problems)], `${field} ${value}`).toEqual([null, [field]])
    }
  }
})

test("the form's default rule equals the model's", () => {
  expect(plainAnswer).toEqual(PLAIN_ANSWER)
})
