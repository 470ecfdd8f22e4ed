import { expect, test } from 'vitest'
import type { Hook } from '../../../shared/model/hook.ts'
import { plainAnswer } from './answering.ts'
import { hooksUnder } from '../../../shared/service/hook-rules.ts'
import { hooksInOrder, unknownFields } from './hook-status.tsx'

function hook(id: string, change: Partial<Hook> = {}): Hook {
  return {
    id,
    remoteId: id,
    kind: 'program',
    event: 'card.linked',
    url: 'https://a.test/h/1',
    programId: null,
    offerId: null,
    headers: {},
    environment: 'e',
    mode: 'test',
    path: '/h/1',
    status: 'active',
    createdAt: '2026-11-21T00:00:00.000Z',
    secretHint: null,
    previousSecrets: 0,
    answering: plainAnswer,
    record: null,
    ...change,
  }
}

test('hooks that need attention come first, deleted ones last, newest first within a status', () => {
  const hooks = [
    hook('old', { createdAt: '2026-11-20T00:00:00.000Z' }),
    hook('deleted', { status: 'deleted' }),
    hook('new'),
    hook('gone', { status: 'gone' }),
  ]
  expect(hooksInOrder(hooks).map(({ id }) => id)).toEqual(['gone', 'new', 'old', 'deleted'])
})

test('only active hooks under a URL move with it, and not those under a URL with the same beginning', () => {
  const hooks = [
    hook('under'),
    hook('itself', { url: 'https://a.test' }),
    hook('alike', { url: 'https://a.test.example/h/1' }),
    hook('deleted', { status: 'deleted' }),
  ]
  expect(hooksUnder(hooks, 'https://a.test/').map(({ id }) => id)).toEqual(['under', 'itself'])
})

test("record fields that a registration doesn't have are undocumented", () => {
  expect(unknownFields({ event: 'x', url: 'y', createdBy: 'z' })).toEqual(['createdBy'])
  expect(unknownFields('text')).toEqual([])
  expect(unknownFields(null)).toEqual([])
})
