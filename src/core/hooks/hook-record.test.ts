import { expect, test } from 'vitest'
import type { StoredEnvironment } from '../store/environments.ts'
import { modeWarnings, remoteIdOf, readHookSecret } from './hook-record.ts'

const ID = '0f6c1c52-9d1e-4a58-8a55-000000000001'
const OTHER = '0f6c1c52-9d1e-4a58-8a55-0000000000ff'
const PROGRAM = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001'
const sent = { url: 'https://x.example/h', event: 'card.linked', programId: PROGRAM, offerId: null }
const idOf = (json: unknown) => remoteIdOf({ json }, sent)

test.each<[string, unknown]>([
  ['a record', { id: ID, secretKey: 's' }],
  ['a record in an envelope', { ok: true, data: { id: ID } }],
  ['a record in a list', { hooks: [{ id: ID }] }],
  ['its own name in the envelope', { id: OTHER, data: { hook_id: ID } }],
  ['another spelling', { data: { 'Webhook-ID': ID } }],
  [
    'the object that repeats the URL, below one with an id',
    { id: OTHER, data: { id: ID, target: sent.url } },
  ],
  [
    'the object with the secret, below one with an id',
    { id: OTHER, data: { id: ID, secretKey: 's' } },
  ],
  [
    'a record among others',
    { account: { id: OTHER }, programs: [{ id: PROGRAM }], hook: { uuid: ID } },
  ],
  [
    'a UUID under any name',
    { reference: ID, programId: PROGRAM, accountId: OTHER, secretKey: 's' },
  ],
  ['a UUID next to the program, under a neutral name', { reference: ID, belongsTo: PROGRAM }],
])('the id is found: %s', (_what, json) => {
  expect(idOf(json)).toBe(ID)
})

test.each<[string, unknown]>([
  ['invalid JSON', undefined],
  ['null', null],
  ['a text', ID],
  ['no id', { event: 'card.linked' }],
  ['an empty id', { id: '' }],
  ['only the ID of something else', { account: { id: OTHER } }],
  ['two candidate UUIDs', { reference: ID, handle: OTHER }],
  // A secret may look like a UUID. It must not be shown or stored as an id.
  ['a secret that is a UUID', { secretKey: ID, programId: PROGRAM }],
  ['a secret repeated under another name', { secretKey: ID, id: ID }],
])('no id is guessed: %s', (_what, json) => {
  expect(idOf(json)).toBeNull()
})

test('the secret is found at any depth, the topmost first', () => {
  expect(
    readHookSecret({ json: { a: { b: { secretKey: 'deep' } }, near: { secretKey: 'higher' } } })
      .secret,
  ).toBe('higher')
  for (const json of [undefined, null, {}, { secretKey: '' }, { secretKey: 5 }, { secret: 'x' }])
    expect(readHookSecret({ json }).secret).toBeNull()
})

test("a response for the other mode gives a warning, a response without mode doesn't", () => {
  const environment = (mode: 'test' | 'live') => ({ name: 'staging', mode }) as StoredEnvironment
  expect(modeWarnings({ json: { hook: { live: true } } }, environment('test'))).toMatchObject([
    {
      rule: 'mode-mismatch',
      message: expect.stringContaining('a live hook, but staging is a test environment'),
    },
  ])
  expect(modeWarnings({ json: { live: false } }, environment('live'))).toHaveLength(1)
  for (const json of [undefined, {}, { live: 'yes' }, { live: false }])
    expect(modeWarnings({ json }, environment('test'))).toEqual([])
})
