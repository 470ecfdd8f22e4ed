import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CommandName, InputOf } from '../../src/shared/contract/contract.ts'
import { rightAnswer, startFlowHandler, type TestHandler } from '../support/flow-fixture.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { runReplay, startRawEndpoint } from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'
import { checkEnd, flowEnd, until } from '../support/until.ts'

const HOOK_SECRET = 'whsec_of_the_hook_0123456789'
const OWN_SECRET = 'whsec_of_the_handler_0123456789'
const BODY = '{"amount":36.9,"currency":"GBP"}'

let core: TestCore
let handler: TestHandler
let hookUrl: string
let id: string
const reported: string[] = []

async function call<Name extends CommandName>(name: Name, input: InputOf<Name>) {
  const output = await core.call(name, input)
  reported.push(JSON.stringify(output))
  return output
}

beforeAll(async () => {
  core = await coreInFolder()
  handler = await startFlowHandler(OWN_SECRET, rightAnswer)
  hookUrl = `${core.receiver}/h/one`
  await core.hook('/h/one', HOOK_SECRET)
  for (const event of [
    'handlers.changed',
    'replay.changed',
    'check.changed',
    'flows.changed',
    'forward.changed',
  ] as const)
    core.client.on(event, (payload) => reported.push(JSON.stringify(payload)))
  await call('handlers.add', { name: 'local', url: handler.url, secret: OWN_SECRET })
  id = await deliver()
})
afterAll(async () => {
  await handler.close()
  expect(core.bugs).toEqual([])
})

async function deliver(): Promise<string> {
  await core.deliver({ url: hookUrl, secret: HOOK_SECRET }, BODY)
  return (await call('deliveries.get', { id: 'latest' })).id
}

const answered = (status: number, text: string) =>
  `HTTP/1.1 ${status} Answered\r\ncontent-length: ${text.length}\r\n\r\n${text}`
const last = () => handler.seen.at(-1)

test("a replay to @NAME is signed with the handler's secret over its own URL, and remembers its name", async () => {
  const { replay, sends } = await runReplay(core.client, { ids: [id], to: '@local' })
  expect(last()).toMatchObject({ body: BODY, isSigned: true })
  expect(sends).toMatchObject([
    { handler: 'local', target: handler.url, registeredUrl: handler.url, status: 200 },
  ])
  expect(replay).toMatchObject({ to: handler.url })
  const { byHook } = await call('replay.targets', {})
  expect(Object.values(byHook)).toEqual(['@local'])
  // A name is found by its handler: a rename shows everywhere.
  await call('handlers.update', { id: 'local', name: 'renamed' })
  expect((await call('replay.ofDelivery', { id })).sends).toMatchObject([{ handler: 'renamed' }])
  expect(Object.values((await call('replay.targets', {})).byHook)).toEqual(['@renamed'])
  await call('handlers.update', { id: 'renamed', name: 'local' })
})

test('a replay to @NAME is compared with what the flow and forwarding sent it before', async () => {
  const hook = await core.hook('/h/linked', HOOK_SECRET, { event: 'card.linked' })
  let status = 500
  const fixable = await startRawEndpoint(() => status)
  await call('handlers.add', { name: 'own', url: fixable.origin, secret: OWN_SECRET })
  const registeredUrl = 'https://registered.example/hooks'
  await call('handlers.add', {
    name: 'hooked',
    url: fixable.origin,
    hookId: hook.id,
    registeredUrl,
  })
  for (const name of ['own', 'hooked']) {
    status = 500
    const { run } = await call('flows.start', {
      name: 'card-linked',
      handler: { url: `@${name}` },
    })
    const { steps } = await flowEnd(core.client, run.id)
    const failed = steps.find(({ response }) => response?.by === 'handler')
    status = 200
    const ids = [failed?.deliveryId ?? '']
    const { sends } = await runReplay(core.client, { ids, to: `@${name}` })
    expect(sends).toMatchObject([{ outcome: 'fixed', edited: [] }])
  }
  await fixable.close()
  await call('handlers.remove', { id: 'own' })
  await call('handlers.remove', { id: 'hooked' })
  await call('hooks.remove', { id: hook.id })
})

test('a chosen hook signs a replay to a handler whose own hook was deleted', async () => {
  const hook = await core.hook('/h/gone', HOOK_SECRET)
  await call('handlers.add', { name: 'orphan', url: handler.url, hookId: hook.id })
  await call('hooks.remove', { id: hook.id })
  await expect(runReplay(core.client, { ids: [id], to: '@orphan' })).rejects.toThrow(/deleted/)
  const { hookId } = await call('deliveries.get', { id })
  const { sends } = await runReplay(core.client, { ids: [id], to: '@orphan', hookId })
  expect(sends).toMatchObject([{ handler: 'orphan', status: 401 }])
  await call('handlers.remove', { id: 'orphan' })
})

test('a typed URL that equals a saved one has its name, and keeps the signature of its hook', async () => {
  const { sends } = await runReplay(core.client, { ids: [id], to: handler.url })
  expect(sends).toMatchObject([{ handler: 'local', registeredUrl: hookUrl, status: 401 }])
})

test('a flow, a check and a forward target take @NAME, without a secret from the client', async () => {
  const { run: flow } = await call('flows.start', {
    name: 'card-linked',
    handler: { url: 'handler:local' },
  })
  expect(await flowEnd(core.client, flow.id)).toMatchObject({
    outcome: 'pass',
    handlerName: 'local',
    handler: handler.url,
  })

  const { run: check } = await call('check.start', {
    target: '@local',
    only: ['first-delivery'],
    rate: 1_000,
  })
  expect(await checkEnd(core.client, check.id)).toMatchObject({
    passed: 1,
    failed: 0,
    target: handler.url,
  })
  const handlers = async () => (await call('handlers.list', {})).handlers
  const listed = await until(core.client, 'handlers.changed', handlers, ([one]) => !!one?.lastCheck)
  expect(listed[0]?.lastCheck).toEqual({ at: check.createdAt, passed: 1, failed: 0, skipped: 0 })

  const { target } = await call('forward.add', { url: '@local' })
  expect(target).toMatchObject({ url: handler.url, registeredUrl: handler.url })
  await deliver()
  const sends = async () => (await call('forward.sends', { id: target.id })).sends
  expect(
    await until(core.client, 'forward.sent', sends, ([one]) => one?.status === 200),
  ).toMatchObject([{ handler: 'local', registeredUrl: handler.url }])
  // A form sends the unchanged URL back; another URL is another endpoint.
  const kept = await call('forward.update', { id: target.id, url: target.url, name: 'kept' })
  expect(kept.target.handlerId).toBe(target.handlerId)
  const other = await call('forward.update', { id: target.id, url: 'localhost:1/other' })
  expect(other.target).toMatchObject({ url: 'http://localhost:1/other', handlerId: null })
  await call('forward.remove', { id: target.id })
})

const everySend = (url: string) => [
  () => call('replay.start', { ids: [id], to: url }),
  () => call('replay.check', { parts: [{ ids: [id], to: url }] }),
  () => call('shrink.start', { id, to: url }),
  () => call('check.start', { target: url }),
  () => call('forward.add', { url, query: 'event:transaction.auth' }),
  () => call('flows.start', { name: 'card-linked', handler: { url } }),
]

test('saving a remote handler gives no consent: each send asks for its host', async () => {
  const remote = { name: 'staging', url: 'https://staging.example/hooks', secret: OWN_SECRET }
  await call('handlers.add', remote)
  for (const send of everySend('@staging'))
    await expect(send()).rejects.toMatchObject({
      code: 'TARGET_NOT_ALLOWED',
      message: expect.stringContaining('staging.example'),
    })
})

test("a live hook's secret needs the same consent through a handler", async () => {
  const live = { environment: 'sandbox-live', live: true }
  const hook = await core.hook('/h/live', 'whsec_live_0123456789', live)
  await call('handlers.add', { name: 'hooked', url: handler.url, hookId: hook.id })
  await call('handlers.add', { name: 'typed', url: handler.url, secret: 'whsec_live_0123456789' })
  for (const to of ['@hooked', '@typed']) {
    for (const send of everySend(to))
      await expect(send()).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' })
  }
})

test('a handler page has response times by minute, the latest failures with reasons, flows and checks', async () => {
  const failing = await startRawEndpoint((_, number) =>
    number <= 2
      ? answered(500, number === 1 ? '{"message":"card is  null"}' : 'x'.repeat(500))
      : number === 3
        ? 401
        : 200,
  )
  await call('handlers.add', { name: 'failing', url: failing.origin, secret: OWN_SECRET })
  // The last is forged, and its acknowledgement isn't the handler's response to the delivery.
  for (const tamper of [null, null, null, null, 'secret'] as const)
    await runReplay(core.client, { ids: [id], to: '@failing', tamper })
  const page = await call('handlers.page', { id: 'failing' })
  await failing.close()
  expect(page.minutes).toHaveLength(60)
  expect(page).toMatchObject({ requests: 5, failed: 3, flows: [], checks: [] })
  expect(page.minutes.reduce((sum, { count }) => sum + count, 0)).toBe(5)
  expect(page.p50).toBeLessThanOrEqual(page.p95 ?? 0)
  expect(page.latest).toMatchObject([
    { status: 401, excerpt: '' },
    { status: 500, excerpt: `${'x'.repeat(119)}…` },
    {
      status: 500,
      excerpt: 'card is null',
      deliveryId: id,
      amount: 36.9,
      currency: 'GBP',
    },
  ])
  expect((await call('replay.send', { id: page.latest[0]?.sendId ?? '' })).status).toBe(401)

  const local = await call('handlers.page', { id: 'local', minutes: 5 })
  expect(local.minutes).toHaveLength(5)
  expect(local.flows).toMatchObject([{ flow: 'card-linked', outcome: 'pass' }])
  expect(local.checks).toMatchObject([{ passed: 1, failed: 0, score: 100 }])
})

test('a probe connects without a request, and to a remote handler only with consent', async () => {
  const before = handler.seen.length
  expect(await call('handlers.probe', { id: 'local' })).toMatchObject({
    reachable: true,
    error: null,
    errorKind: null,
  })
  expect(handler.seen.length).toBe(before)
  await call('handlers.add', { name: 'secure', url: core.receiver ?? '' })
  expect(await call('handlers.probe', { id: 'secure' })).toMatchObject({ reachable: true })
  await call('handlers.update', { id: 'secure', url: handler.url.replace('http:', 'https:') })
  expect(await call('handlers.probe', { id: 'secure' })).toMatchObject({
    reachable: false,
    errorKind: 'tls',
  })
  const { port, close } = await startRawEndpoint()
  await close()
  await call('handlers.add', { name: 'down', url: `localhost:${port}` })
  expect(await call('handlers.probe', { id: 'down' })).toMatchObject({
    reachable: false,
    errorKind: 'refused',
    error: expect.stringContaining('Connection refused'),
  })
  await call('handlers.add', { name: 'remote', url: 'https://192.0.2.1/hooks' })
  await expect(call('handlers.probe', { id: 'remote' })).rejects.toMatchObject({
    code: 'TARGET_NOT_ALLOWED',
  })
})

test("a handler's own secret is masked in a shared send", async () => {
  const echo = await startRawEndpoint(() => answered(500, `{"secret":"${OWN_SECRET}"}`))
  const { sends } = await runReplay(core.client, { ids: [id], to: echo.origin })
  await echo.close()
  const bodyOf = async (masked: 'none' | 'strict') => {
    const { base64 } = await core.call('replay.send', { id: sends[0]?.id ?? '', masked })
    return Buffer.from(base64, 'base64').toString()
  }
  expect(await bodyOf('none')).toContain(OWN_SECRET)
  expect(await bodyOf('strict')).not.toContain(OWN_SECRET)
})

test('no answer and no event has a secret', () => {
  expect(reported.length).toBeGreaterThan(40)
  for (const secret of [OWN_SECRET, HOOK_SECRET])
    expect(reported.filter((text) => text.includes(secret))).toEqual([])
})

/** Responds 500 to cleared deliveries. */
const ledger = ({ body }: { readonly body: Buffer }) =>
  body.includes('"cleared":true')
    ? answered(500, '{"error":"LedgerConflict","message":"Already settled"}')
    : 200

test('what failing deliveries and a flow have in common is their cause, in words and with counts', async () => {
  const books = await startRawEndpoint(ledger)
  await call('handlers.add', { name: 'books', url: books.origin, secret: OWN_SECRET })
  const ids: string[] = []
  for (const cleared of [true, false, true, false, true, false]) {
    const body = JSON.stringify({ id: `n${ids.length}`, amount: ids.length, cleared })
    await core.deliver({ url: hookUrl, secret: HOOK_SECRET }, body)
    ids.push((await call('deliveries.get', { id: 'latest' })).id)
  }
  await runReplay(core.client, { ids, to: '@books' })
  const { run } = await call('flows.start', { name: 'purchase-visa', handler: { url: '@books' } })
  await flowEnd(core.client, run.id)
  const { causes, unexplained } = await call('handlers.causes', { id: 'books' })
  expect(causes).toMatchObject([
    {
      cause: 'response',
      message:
        '`LedgerConflict: Already settled`. Every one of these deliveries has `cleared: true`, and no accepted one does.',
      deliveries: [ids[4], ids[2], ids[0]],
      cases: [],
      flows: ['purchase-visa'],
    },
  ])
  expect(unexplained).toEqual({ deliveries: [], cases: [], flows: [] })
  const { latest, flows } = await call('handlers.page', { id: 'books' })
  expect(latest.find(({ event }) => event === null || event === 'transaction.auth')).toMatchObject({
    excerpt: 'LedgerConflict: Already settled',
    ids: [ids[4], ids[2], ids[0]],
  })
  expect(flows.map(({ reason }) => reason)).toEqual(['Clearing: returned 500, expected 200'])
  await books.close()
})

test('every send to an unreachable handler has failed, whatever the delivery', async () => {
  const gone = await startRawEndpoint()
  await gone.close()
  await call('handlers.add', { name: 'gone', url: gone.origin, secret: OWN_SECRET })
  await core.deliver({ url: hookUrl, secret: HOOK_SECRET }, BODY, {
    timestamp: String(Date.now() - 3_600_000),
  })
  const stale = (await call('deliveries.get', { id: 'latest' })).id
  await runReplay(core.client, { ids: [id, stale], to: '@gone' })
  expect(await call('handlers.page', { id: 'gone' })).toMatchObject({
    requests: 2,
    failed: 2,
    latest: [{ ids: expect.arrayContaining([id, stale]) }],
  })
  expect((await call('handlers.causes', { id: 'gone' })).causes).toMatchObject([
    { title: "Can't be reached", deliveries: expect.arrayContaining([id, stale]) },
  ])
})
