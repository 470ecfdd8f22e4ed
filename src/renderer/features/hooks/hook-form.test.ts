import { expect, test } from 'vitest'
import { eventTypes } from '../../../shared/service/event-type.ts'
import {
  headersOfRows,
  hookEventGroups,
  findingsNow,
  inputOfDraft,
  kindSentence,
  newHookDraft,
  proposedProgram,
  repeatedNames,
  rowsOfHeaders,
  updateOfDraft,
  withEmptyRow,
} from './hook-form.tsx'

const proposed = { programId: 'p', url: 'https://a.test/h/1' }

test('proposed values are sent until the user types others', () => {
  expect(inputOfDraft(newHookDraft('e'), proposed)).toEqual({
    environment: 'e',
    event: 'transaction.auth',
    headers: {},
    programId: 'p',
    url: 'https://a.test/h/1',
  })
  const typed = { ...newHookDraft('e'), programId: '', url: ' https://b.test/ ' }
  expect(inputOfDraft(typed, proposed)).toEqual({
    environment: 'e',
    event: 'transaction.auth',
    headers: {},
    url: 'https://b.test/',
  })
})

test('the only program is proposed; of several, none', () => {
  expect([[], ['p'], ['p', 'q']].map(proposedProgram)).toEqual(['', 'p', ''])
})

test('brand hooks have no program, and only qualified events have an offer', () => {
  const draft = { ...newHookDraft('e'), offerId: 'o' }
  expect(inputOfDraft({ ...draft, event: 'brand.consent' }, proposed)).not.toHaveProperty(
    'programId',
  )
  expect(inputOfDraft(draft, proposed)).not.toHaveProperty('offerId')
  expect(inputOfDraft({ ...draft, event: 'transaction.auth.qualified' }, proposed)).toHaveProperty(
    'offerId',
    'o',
  )
})

test('an update sends everything except the offer, and removes all headers if none are left', () => {
  const draft = {
    ...newHookDraft('e'),
    programId: 'q',
    url: 'https://b.test/',
    offerId: 'o',
    event: 'transaction.auth.qualified',
  }
  expect(updateOfDraft('h', draft)).toEqual({
    id: 'h',
    event: 'transaction.auth.qualified',
    headers: {},
    programId: 'q',
    url: 'https://b.test/',
  })
})

test('every event is in one group, with its kind described', () => {
  expect(hookEventGroups.flatMap(({ events }) => events).toSorted()).toEqual(
    [...eventTypes].toSorted(),
  )
  expect(kindSentence('brand.consent')).toMatch(/^Brand hook/)
  expect(kindSentence('credits.balance.low')).toMatch(/doesn't show/)
  expect(kindSentence('nonsense')).toMatch(/^Not in the spec/)
})

test('a rejection stays visible until the check has caught up', () => {
  const finding = (rule: string) => ({ rule, section: '2.1', field: 'url', message: rule })
  const problem = {
    code: 'INVALID_HOOK',
    message: '',
    findings: [finding('refused')],
    sentences: [],
    exchange: null,
  } as const
  const findings = [finding('checked')]
  expect(findingsNow({ findings, current: false }, problem)).toEqual(problem.findings)
  expect(findingsNow({ findings, current: true }, problem)).toEqual(findings)
  expect(
    findingsNow({ findings, current: false }, { ...problem, code: 'SERVICE_REFUSED' }),
  ).toEqual(findings)
})

test('headers convert to rows and back in order', () => {
  const headers = { 'X-Two': '2', 'X-One': '1' }
  expect(Object.entries(headersOfRows(rowsOfHeaders(headers)))).toEqual(Object.entries(headers))
})

test('an empty row is not a header; a name without a value is', () => {
  const rows = withEmptyRow(rowsOfHeaders({ 'X-One': '' }))
  expect(rows.map((row) => row.key)).toEqual([0, 1])
  expect(headersOfRows(rows)).toEqual({ 'X-One': '' })
})

test('repeated names are found regardless of case', () => {
  const rows = [
    ...rowsOfHeaders({ 'X-One': '1', 'x-one': '2', 'X-Two': '3' }),
    { key: 9, name: '', value: '' },
  ]
  expect([...repeatedNames(rows)]).toEqual(['x-one'])
})
