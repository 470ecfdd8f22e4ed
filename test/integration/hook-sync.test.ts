import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '../../src/shared/contract/errors.ts'
import type { HookSync } from '../../src/shared/model/hook.ts'
import { sendDelivery } from '../support/deliver.ts'
import { longestTurn } from '../support/longest-turn.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { startOtherService, type OtherService } from '../support/other-service.ts'
import type { TestCore } from '../support/test-core.ts'
import { makeTestTls, type TestTls } from '../support/tls.ts'
import { refusal } from '../support/refusal.ts'

const PROGRAM = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001'
const SECRET = 'whsec_listed_0123456789abcdef'
const idOf = (count: number) => `0f6c1c52-9d1e-4a58-8a55-${String(count).padStart(12, '0')}`

let tls: TestTls
let app: TestCore
let service: OtherService
let environment: string
let environmentCount = 0

beforeAll(async () => {
  tls = await makeTestTls()
  service = await startOtherService(tls)
  app = await coreInFolder()
})
afterAll(async () => {
  await service.close()
  expect(app.bugs).toEqual([])
})
beforeEach(async () => {
  environment = `account-${++environmentCount}`
  const account = { baseUrl: service.origin, caPem: tls.caPem, key: 'sk_test_0123456789' }
  await app.call('environments.add', { name: environment, mode: 'test', ...account })
})

function lists(list: unknown, status = 200): void {
  service.interrupt({ status, body: typeof list === 'string' ? list : JSON.stringify(list) })
}

const urlOf = (name: string) => `${app.receiver}/h/${environment}/${name}`
const entry = (id: number, more: object = {}) => ({
  id: idOf(id),
  event: 'brand.consent',
  url: urlOf(String(id)),
  ...more,
})
const sync = (dryRun = false) => app.call('hooks.sync', { environment, dryRun })
const stored = async () => (await app.call('hooks.list', { environment })).hooks

async function imported(name: string, more: object = {}): Promise<string> {
  const hook = { event: 'brand.consent', url: urlOf(name), secret: SECRET, environment }
  return (await app.call('hooks.import', { ...hook, ...more })).id
}

const states = ({ hooks }: HookSync) =>
  hooks.map(({ state, remoteId, changes }) => [state, remoteId, changes])

test('new hooks are imported with their secrets sealed, missing ones are marked as gone, and nothing changes at the service', async () => {
  await imported('1', { remoteId: idOf(1) })
  const missing = await imported('2', { remoteId: idOf(2) })
  const entries = [entry(1), entry(3, { secretKey: SECRET, future: [1] }), entry(4)]
  const calls = service.calls.length
  lists({ webhooks: entries, total: 3 })
  const plan = await sync(true)
  expect(states(plan)).toEqual([
    ['new', idOf(3), true],
    ['new', idOf(4), true],
    ['gone', idOf(2), true],
    ['here', idOf(1), false],
  ])
  expect([plan.applied, plan.notes, plan.hooks[1]?.note]).toEqual([
    false,
    [],
    'The list doesn\'t show its secret. Add it after the import, with "countersign hooks rotate".',
  ])
  expect(JSON.stringify(plan)).not.toContain(SECRET)
  expect(await stored()).toHaveLength(2)

  lists({ webhooks: entries, total: 3 })
  const done = await sync()
  expect([done.applied, states(done)]).toEqual([true, states(plan)])
  const hooks = await stored()
  expect(hooks.find(({ id }) => id === missing)?.status).toBe('gone')
  expect(hooks.filter(({ id }) => done.hooks.some((hook) => hook.id === id))).toHaveLength(4)
  expect(hooks.find(({ remoteId }) => remoteId === idOf(3))).toMatchObject({
    status: 'active',
    secretHint: '…cdef',
    record: { event: 'brand.consent', future: [1] },
  })
  expect(hooks.find(({ remoteId }) => remoteId === idOf(4))?.secretHint).toBeNull()
  expect(service.calls.slice(calls).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/hooks',
    'GET /v1/hooks',
  ])
  await sendDelivery(app.caFile, { url: urlOf('3'), secret: SECRET })
  expect(await app.latest()).toMatchObject({
    verdict: 'valid',
  })
  lists(entries)
  expect((await sync()).hooks.filter(({ changes }) => changes)).toEqual([])
})

test('hooks are matched by ID, otherwise by URL, event and program; what only the service knows is stored', async () => {
  const known = { event: 'card.linked', programId: PROGRAM }
  const withId = await imported('moved', { ...known, remoteId: idOf(1) })
  const withoutId = await imported('same', known)
  service.interrupt('drop')
  await refusal(app.call('hooks.add', { environment, event: 'brand.consent', url: urlOf('9') }))
  lists([entry(9, { secretKey: SECRET })])
  lists({
    data: [
      { ...entry(1), event: 'card.linked' },
      { ...entry(2), event: 'card.linked', url: urlOf('same') },
    ],
  })
  expect(states(await sync())).toEqual([
    ['differs', idOf(9), true],
    ['differs', idOf(2), true],
    ['differs', idOf(1), false],
  ])
  expect(service.calls.at(-1)?.path).toBe(`/v1/programs/${PROGRAM}/hooks`)
  const hooks = await stored()
  expect(hooks.find(({ id }) => id === withId)?.url).toBe(urlOf('moved'))
  expect(hooks.find(({ id }) => id === withoutId)?.remoteId).toBe(idOf(2))
  expect(hooks.find(({ url }) => url === urlOf('9'))).toMatchObject({
    status: 'active',
    remoteId: idOf(9),
    secretHint: '…cdef',
  })
})

test.each([404, 405])('a service that answers each list with %i lists no hooks', async (status) => {
  await imported('1', { event: 'card.linked', programId: PROGRAM })
  lists('', status)
  lists('{}', status)
  const error = await refusal(sync())
  expect([error.code, error.message]).toEqual([
    'SERVICE_REFUSED',
    'This service doesn\'t list hooks. Import each with its secret: "countersign hooks import", or "Import hook" in the window.',
  ])
  expect(await stored()).toMatchObject([{ status: 'active' }])
})

describe('no hook is marked as gone', () => {
  const large = `[${' '.repeat(1_100_000)}]`
  test.each([
    ['after an error', '{"error":1}', 500],
    ['if the key is rejected', '{}', 401],
    ['if the list is no JSON', '<html>', 200],
    ['if the list is cut off', large, 200],
    ['if there is no list', '{"ok":true}', 200],
    ['if there are several lists', '{"a":[],"b":[]}', 200],
    ['if the list is too long', JSON.stringify(Array.from({ length: 1_001 }, () => 1)), 200],
  ])('%s, and nothing is imported', async (_, body, status) => {
    await imported('1', { remoteId: idOf(1) })
    lists(body, status)
    expect((await refusal(sync())).code).toBe('SERVICE_REFUSED')
    expect(await stored()).toMatchObject([{ status: 'active' }])
  })

  test.each([
    ['has a next page', { hooks: [], links: { next: '/v1/hooks?page=2' } }, 200],
    ['has more entries elsewhere', { hooks: [], meta: { totalCount: 2 } }, 200],
    ['has several pages', { hooks: [], pages: 2 }, 200],
    ['has something beside it', { hooks: [], object: 'list' }, 200],
    ['is partial', [], 206],
    ['has an unreadable entry', [null], 200],
    ['has an entry without a URL', [{ id: idOf(1), event: 'brand.consent' }], 200],
  ])('if the list %s', async (_, list, status) => {
    await imported('1', { remoteId: idOf(1) })
    lists(list, status)
    const { hooks, notes } = await sync()
    expect([hooks, notes]).toEqual([
      [],
      ["Couldn't read all hooks without a program, so none of them is marked as gone."],
    ])
    expect(await stored()).toMatchObject([{ status: 'active' }])
  })

  test("if its program's list is missing, or its program is unknown", async () => {
    await imported('1', { event: 'card.linked', programId: PROGRAM, remoteId: idOf(1) })
    await imported('2', { event: 'card.linked', remoteId: idOf(2) })
    lists([])
    lists('', 404)
    const { hooks, notes } = await sync()
    expect([hooks, notes]).toEqual([
      [],
      [`The service doesn't list hooks of program ${PROGRAM}, so none of them is marked as gone.`],
    ])
  })
})

test('entries that break the rules are shown with the reason and not imported', async () => {
  const blocked = { headers: { Host: 'evil.example' } }
  const entries = [
    entry(1, { url: 'http://plain.example/' }),
    entry(2, { url: 'https://x.example/\u202e\n' }),
    entry(3, { live: true }),
    entry(4, blocked),
    entry(5, { event: 'not an event' }),
    entry(6, { event: 'card.linked', programId: '__proto__' }),
    entry(7, { id: 'x'.repeat(1_001) }),
    entry(8, { secretKey: 's'.repeat(1_001) }),
    JSON.parse('{"__proto__":{"event":"brand.consent","url":"https://x.example/"}}') as object,
  ]
  lists({ entries })
  const { hooks, notes } = await sync()
  expect(hooks.map(({ state, changes }) => [state, changes])).toEqual(
    Array.from({ length: 7 }, () => ['new', false]),
  )
  for (const { note } of hooks) expect(note).toMatch(/^Can't be imported: /)
  expect(hooks.find(({ remoteId }) => remoteId === idOf(8))?.note).toBe(
    "Can't be imported: Its secretKey has 1,001 characters, but a secret has at most 1,000 characters. Correct it at the service.",
  )
  expect([notes.length, await stored()]).toEqual([1, []])
})

test('a hook that was deleted here stays deleted', async () => {
  const id = await imported('1', { remoteId: idOf(1) })
  lists({})
  await app.call('hooks.remove', { id })
  lists([entry(1)])
  expect((await sync()).hooks).toMatchObject([
    { state: 'differs', changes: false, note: 'Deleted here, but not at the service.' },
  ])
  expect(await stored()).toMatchObject([{ status: 'deleted' }])
})

test('the lists of all programs together are limited to 2,000 hooks', async () => {
  for (const end of [1, 2, 3])
    await imported(`of-${end}`, {
      event: 'card.linked',
      programId: PROGRAM.replace(/1$/, `${end}`),
    })
  for (const start of [0, 1_000, 2_000])
    lists(Array.from({ length: 900 }, (_, index) => entry(start + index)))
  const { message } = await refusal(sync())
  expect(message).toContain(
    `/programs/${PROGRAM.replace(/1$/, '2')}/hooks returned more than 200 hooks.`,
  )
  expect(await stored()).toHaveLength(3)
})

describe('no answer of a service holds up deliveries', () => {
  /**
   * Processor time of a turn, in milliseconds. Deliveries are to wait 100 at most; the rest is for
   * a slow computer.
   */
  const MOST_MS = 250
  const MEBI = 1_048_576
  const filled = (text: string, end = '') => text.repeat(Math.floor((MEBI - 2) / text.length)) + end
  const keys = (count: number) =>
    Array.from({ length: count }, (_, index) => `"${index.toString(36)}":1`)
  const listed = (count: number, more: (index: number) => object) =>
    JSON.stringify(Array.from({ length: count }, (_, index) => entry(index, more(index))))
  const secretOf = (index: number) => ({ secretKey: `${SECRET}-${index}` })

  const answers: readonly [name: string, body: () => string, outcome: RegExp][] = [
    ['1,000 hooks', () => listed(1_000, secretOf), /^1000 new, 0 notes$/],
    [
      '2,500 hooks',
      () => listed(2_500, secretOf),
      /returned more than 1000 hooks\. Nothing was changed/,
    ],
    [
      'a secret of 900 kB',
      () => listed(1, () => ({ secretKey: 'k'.repeat(900_000) })),
      /^1 new, 0 notes: Can't be imported: Its secretKey has 900,000 characters/,
    ],
    [
      'secrets under other names',
      () => listed(1, () => ({ token: filled('\u0000').slice(0, 150_000) })),
      /1 notes$/,
    ],
    [
      '1,000 secrets in a hook',
      () => listed(1, () => ({ a: Array.from({ length: 1_000 }, (_, index) => secretOf(index)) })),
      /1 notes$/,
    ],
    [
      '100 headers of each hook',
      () =>
        listed(300, (hook) => ({
          headers: Object.fromEntries(
            Array.from({ length: 100 }, (_, index) => [`x-${index}`, `value-${hook}-${index}`]),
          ),
        })),
      /300 new/,
    ],
    [
      'escapes',
      () =>
        `[${JSON.stringify({ ...entry(1), note: 'x' }).replace('x', filled('\\u0041').slice(0, -600))}]`,
      /1 notes$/,
    ],
    ['many members', () => `{${keys(100_000).join(',')}}`, /more than 65,536 JSON values/],
    ['as many members as are read', () => `[{${keys(65_000).join(',')}}]`, /1 notes$/],
    [
      'objects of any shape',
      () =>
        `[{"a":[${keys(32_000)
          .map((key) => `{${key}}`)
          .join(',')}]}]`,
      /1 notes$/,
    ],
    ['long lists', () => `{"a":[[${'1,'.repeat(65_000)}1]],"b":1}`, /1 notes$/],
    [
      'deep nesting',
      () => `[${'['.repeat(500_000)}${']'.repeat(500_000)}]`,
      /more than 65,536 JSON values/,
    ],
    ['nesting', () => `[${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}]`, /1 notes$/],
    ['nested secrets', () => `[${'{"token":'.repeat(60_000)}1${'}'.repeat(60_000)}]`, /1 notes$/],
    [
      'one name again and again',
      () => `[{${'"secretKey":"whsec_0123456789",'.repeat(30_000)}"a":1}]`,
      /1 notes$/,
    ],
    ['a page', () => filled('<p class="a">\n'), /returned no JSON list/],
    [
      'a cut list',
      () => `[${filled(`${JSON.stringify(entry(1))},`)}${JSON.stringify(entry(1))}]`,
      /returned more than 1\.0 MB, so its response was cut/,
    ],
  ]
  test.each(answers)('%s', async (_, body, outcome) => {
    lists(body())
    let said = ''
    const ms = await longestTurn(async () => {
      const result = await sync(true).catch((error: unknown) => error)
      if (result instanceof AppError) said = result.message
      else {
        const { hooks, notes } = result as HookSync
        said = [`${hooks.length} new, ${notes.length} notes`, hooks[0]?.note]
          .filter(Boolean)
          .join(': ')
      }
    })
    expect.soft(said).toMatch(outcome)
    expect.soft(ms).toBeLessThan(MOST_MS)
  })
})

test('the sandbox lists its hooks, of each program and without one', async () => {
  environment = 'sandbox-test'
  await app.call('hooks.add', { environment, event: 'brand.consent' })
  const programId = await app.program()
  await app.call('hooks.add', { environment, event: 'card.linked', programId })
  await imported('no-program', { event: 'card.failed' })
  const { hooks, notes } = await sync()
  expect([hooks.map(({ state, event }) => [state, event]), notes]).toEqual([
    [
      ['here', 'brand.consent'],
      ['here', 'card.failed'],
      ['here', 'card.linked'],
    ],
    [],
  ])
})
