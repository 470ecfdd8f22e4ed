import { createElement } from 'react'
import { expect, test } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { knownPrograms, DEFAULT_ANSWERING, type Hook } from '../../../shared/model/hook.ts'
import { parseQuery } from '../../../shared/query/parse.ts'
import { hooksUnder } from '../../../shared/service/hook-rules.ts'
import { HookDetail } from './hook-detail.tsx'
import { RepointHooks } from './repoint-hooks.tsx'
import {
  activityOf,
  failureCount,
  noActivity,
  queryOfEvent,
  hooksInOrder,
  unknownFields,
} from './hook-facts.tsx'

function row(hookId: string, status: number | null, ms: number | null = 1): DeliveryRow {
  return deliveryRow(1, { hookId, environment: 'e', answer: { status, ms } })
}

const activeHook = { id: 'h', environment: 'e' }

test("only acknowledging responses count, by the environment's rule", () => {
  const rows = [row('h', 200), row('h', 204), row('other', 500), row('h', 500)]
  const strict = activityOf(activeHook, rows, [{ name: 'e', ack: '200' }])
  expect([strict.deliveries.length, strict.failed, failureCount(strict)]).toEqual([3, 2, '2 of 3'])
  expect(failureCount(activityOf(activeHook, rows, [{ name: 'e', ack: '2xx' }]))).toBe('1 of 3')
})

test('a dropped connection counts as failed, an open one does not count yet', () => {
  expect(failureCount(activityOf(activeHook, [row('h', null)], []))).toBe('1 of 1')
  expect(failureCount(activityOf(activeHook, [row('h', null, null)], []))).toBeNull()
})

test('without a response, nothing is counted', () => {
  expect(failureCount({ ...noActivity, answered: 5 })).toBe('0 of 5')
  expect(failureCount(noActivity)).toBeNull()
})

test('any event name makes a query that finds it', () => {
  for (const event of ['card.linked', 'a "quoted" one', 'back\\slash'])
    expect(parseQuery(queryOfEvent(event))).toEqual({
      kind: 'term',
      name: { kind: 'field', field: 'event' },
      items: [{ quoted: true, text: event }],
    })
})

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
    answering: DEFAULT_ANSWERING,
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

test("the known programs are the sandbox's and those of active hooks of the environment", () => {
  const hooks = [
    hook('a', { programId: 'p' }),
    hook('again', { programId: 'p' }),
    hook('without'),
    hook('deleted', { programId: 'q', status: 'deleted' }),
    hook('elsewhere', { programId: 'r', environment: 'other' }),
  ]
  expect(knownPrograms('e', hooks, ['s'])).toEqual(['s', 'p'])
})

test("record fields that a registration doesn't have are undocumented", () => {
  expect(unknownFields({ event: 'x', url: 'y', createdBy: 'z' })).toEqual(['createdBy'])
  expect(unknownFields('text')).toEqual([])
  expect(unknownFields(null)).toEqual([])
})

const detailOf = (change: Partial<Hook>) =>
  markupOf(openAskedWindow(), createElement(HookDetail, { hook: hook('h', change) }))

test.each([
  ['test', / Re-point 1 hook $/],
  ['live', / Re-point 1 hook \(live\) $/],
] as const)('moving a %s hook has its mode on the button', (mode, button) => {
  const window = openAskedWindow()
  window.know('hooks.list', {}, { hooks: [hook('h', { mode })] })
  const form = createElement(RepointHooks, { from: 'https://a.test', onDone: () => undefined })
  expect(textOf(markupOf(window, form))).toMatch(button)
})

test('an unconfirmed hook says so, takes a secret, and is not edited', () => {
  const markup = detailOf({ status: 'unconfirmed', remoteId: null })
  expect(textOf(markup)).toMatch(/Unconfirmed .*the hook may or may not exist.* Add secret…/)
  expect(markup).toMatch(/<button[^>]* disabled=""(?:(?!<\/button>).)*Edit…/)
})

test('a hook of the sandbox on a remote host only verifies', () => {
  expect(textOf(detailOf({ environment: 'sandbox-test' }))).toMatch(/Verifies only .*remote host/)
  expect(textOf(detailOf({}))).toMatch(/^ Active /)
})

test.each([
  [{ state: 'not-sent', reason: 'Far. No.' }, 'warn', 'sent to other hooks only', 'Far'],
  [
    { attempts: [{ status: 500, acknowledged: false }] },
    'bad',
    'sent, but not acknowledged',
    /500/,
  ],
  [{ attempts: [{ status: 200, acknowledged: true }] }, 'ok', 'sent', /200/],
])('the notice of a sent event is about its hook: %j', async (part, tone, title, message) => {
  const { core, state, notify } = openAskedWindow()
  const sending = state().hooks.sendEventOf(hook('h'))
  const other = { hookId: 'other', reason: 'Other', attempts: [] }
  const sent = { hookId: 'h', reason: null, attempts: [], ...part }
  await core.next('sandbox.trigger').answer({ deliveries: [other, sent] })
  await sending
  expect(notify.mock.lastCall?.[0]).toEqual({
    tone,
    title: `card.linked ${title}`,
    message: expect.stringMatching(message),
  })
})
