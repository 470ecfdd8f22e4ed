import { expect, test } from 'vitest'
import {
  FIRST_CASE,
  PROGRAM_CASE,
  type CheckCase,
  type CheckResult,
  type CheckRun,
} from '../../../shared/model/check.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { initialCheckDraft, caseSelection, checkFindings } from './check-draft.ts'

const local = {
  id: 'h',
  name: 'local',
  url: 'http://localhost:3000/in',
  hasSecret: true,
  current: true,
} as SavedHandler
const staging = { ...local, id: 's', name: 'staging', url: 'https://staging.example/in' }

test('a handler without a secret and an invalid rate are reported', () => {
  const fieldsOf = (rate: string, hasSecret = true) =>
    checkFindings({ rate }, { ...local, hasSecret }).map(({ field }) => field)
  expect(fieldsOf('10')).toEqual([])
  expect(fieldsOf('')).toEqual([])
  expect(fieldsOf('', false)).toEqual(['handler'])
  for (const rate of ['0', '-1', 'ten']) expect(fieldsOf(rate)).toEqual(['rate'])
})

test('a check begins with the current handler, or with the saved one that was checked last', () => {
  const last = (target: string) =>
    ({ target, rate: 25, results: [], waiting: [] }) as Partial<CheckRun> as CheckRun
  const handlers = [{ ...staging, current: false }, local]
  const begun = (run: CheckRun | null) => initialCheckDraft(run, handlers, [])
  expect(begun(null)).toMatchObject({ handlerId: 'h', rate: '10' })
  expect(begun(last(staging.url))).toMatchObject({ handlerId: 's', rate: '25' })
  expect(begun(last('http://127.0.0.1:9/')).handlerId).toBe('h')
})

test('the live-mode payload of program.status is chosen only if the last check sent it', () => {
  const cases = [FIRST_CASE, PROGRAM_CASE].map((name) => ({ name }) as CheckCase)
  const chosenAfter = (outcome: 'pass' | 'skip') => {
    const results = cases.map((one) => ({ ...one, outcome }) as CheckResult)
    const last: Partial<CheckRun> = { target: local.url, rate: 10, results, waiting: [] }
    return [...initialCheckDraft(last as CheckRun, [local], cases).chosen]
  }
  expect([...initialCheckDraft(null, [local], cases).chosen]).toEqual([FIRST_CASE])
  expect(chosenAfter('skip')).toEqual([FIRST_CASE])
  expect(chosenAfter('pass')).toEqual([FIRST_CASE, PROGRAM_CASE])
})

test('complete groups are sent by their names, the others by their own', () => {
  const cases = [
    { name: 'first-delivery', group: 'valid' },
    { name: 'body', group: 'forged' },
    { name: 'unsigned', group: 'forged' },
  ].map((one) => one as CheckCase)
  expect(caseSelection(new Set(['first-delivery', 'body', 'unsigned']), cases)).toEqual([])
  expect(caseSelection(new Set(['body', 'unsigned']), cases)).toEqual(['forged'])
  expect(caseSelection(new Set(['unsigned']), cases)).toEqual(['unsigned'])
})
