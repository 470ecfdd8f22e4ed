import { createServer, type RequestListener } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { InputOf } from '../../src/shared/contract/contract.ts'
import type { CheckRun } from '../../src/shared/model/check.ts'
import {
  CARD_SECRET,
  KNOWN_CARD,
  REGISTERED_URL,
  SECRET,
  startHandler,
  type Defect,
  type Handler,
} from '../support/check-handlers.ts'
import { listen } from '../support/listen.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { filesBelow } from '../support/planted-secrets.ts'
import type { TestCore } from '../support/test-core.ts'
import { checkEnd } from '../support/until.ts'

let app: TestCore
const open: Handler[] = []
beforeAll(async () => {
  app = await coreInFolder()
})
afterEach(async () => {
  for (const handler of open.splice(0)) await handler.close()
})
afterAll(async () => {
  expect(app.bugs).toEqual([])
})

async function handlerWith(defect: Defect | null): Promise<Handler> {
  const handler = await startHandler(defect)
  open.push(handler)
  return handler
}

const first = ['first-delivery']

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function check(
  target: string,
  more: Partial<InputOf<'check.start'>> = {},
  core = app,
): Promise<CheckRun> {
  const { run } = await core.call('check.start', {
    target,
    secret: SECRET,
    registeredUrl: REGISTERED_URL,
    rate: 10_000,
    ...more,
  })
  return checkEnd(core.client, run.id)
}

describe('a run', () => {
  test('is stored, and compared with the previous one of the same target', async () => {
    const handler = await handlerWith('no-timestamp-check')
    const only = ['time']
    const before = await check(handler.url, { only })
    expect(before).toMatchObject({
      state: 'done',
      failed: 4,
      passed: 2,
      comparison: null,
      otherHost: null,
      total: 6,
      ended: 6,
    })
    expect(before.conclusions.map(({ cause }) => cause)).toEqual(['no-time'])
    handler.become('nan-passes')
    const after = await check(handler.url, { only })
    expect(
      after.results.filter(({ outcome }) => outcome === 'fail').map(({ name }) => name),
    ).toEqual(['no-number'])
    expect(after.comparison).toMatchObject({
      runId: before.id,
      newlyFailing: [],
      fixed: ['stale', 'future', 'seconds'],
    })
    handler.become('single-hash')
    const third = await check(handler.url, { only })
    expect(third.comparison).toMatchObject({ newlyFailing: ['first-delivery'], fixed: [] })
    const { runs } = await app.call('check.list', { limit: 3 })
    expect(runs.map(({ id }) => id)).toEqual([third.id, after.id, before.id])
  })

  test('repeats two cases at once, and keeps the results of both', async () => {
    const handler = await handlerWith('no-timestamp-check')
    const { id: runId } = await check(handler.url, { only: ['time'] })
    handler.become(null)
    await Promise.all(['stale', 'future'].map((name) => app.call('check.again', { runId, name })))
    const { run } = await app.call('check.get', { runId })
    const outcomes = new Map(run.results.map(({ name, outcome }) => [name, outcome]))
    expect([outcomes.get('stale'), outcomes.get('future'), run.failed]).toEqual(['pass', 'pass', 2])
  })

  test('repeats no case while closing: the request in progress is aborted', async () => {
    const other = await coreInFolder()
    let isSilent = false
    let isCut = false
    const asked = Promise.withResolvers<undefined>()
    const endpoint = await serve((request, response) => {
      request.resume()
      if (!isSilent) {
        response.end()
        return
      }
      response.on('close', () => {
        isCut = true
      })
      asked.resolve(undefined)
    })
    try {
      const wanted = { target: endpoint.url, secret: SECRET, only: first, rate: 10_000 }
      const { run } = await other.call('check.start', wanted)
      await checkEnd(other.client, run.id)
      isSilent = true
      void other.call('check.again', { runId: run.id, name: 'first-delivery' })
      await asked.promise
      await other.stop()
      await expect.poll(() => isCut).toBe(true)
      expect(other.bugs).toEqual([])
    } finally {
      await endpoint.close()
    }
  })

  test('repeats one case, re-signed, and replaces its old result', async () => {
    const handler = await handlerWith('no-timestamp-check')
    const run = await check(handler.url, { only: ['stale', 'future'] })
    const names = run.results.map(({ name }) => name)
    handler.become(null)
    const { run: tried } = await app.call('check.again', { runId: run.id, name: 'stale' })
    expect(tried.results.map(({ name }) => name)).toEqual(names)
    expect(tried).toMatchObject({ failed: 1, passed: 2 })
    const signatureOf = (of: CheckRun) =>
      of.results.find(({ name }) => name === 'stale')?.exchanges[0]?.sent.headers[1]?.[1]
    expect(signatureOf(tried)).not.toBe(signatureOf(run))
    expect((await app.call('check.get', { runId: run.id })).run).toEqual(tried)
    await expect(app.call('check.again', { runId: run.id, name: 'none' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  test('is cancelled: nothing more is sent, and completed cases are kept', async () => {
    const handler = await handlerWith(null)
    const { run } = await app.call('check.start', {
      target: handler.url,
      secret: SECRET,
      registeredUrl: REGISTERED_URL,
      rate: 20,
    })
    await expect.poll(() => handler.requests.length).toBeGreaterThan(2)
    const cancelled = (await app.call('check.cancel', { runId: run.id })).run
    const sent = handler.requests.length
    expect(cancelled).toMatchObject({ state: 'cancelled', failed: 0 })
    expect(cancelled.results.length + cancelled.waiting.length).toBe(cancelled.total)
    expect(handler.requests).toHaveLength(sent)
  })

  test('for a hook uses its secret, URL, event and headers', async () => {
    const handler = await handlerWith(null)
    const hook = await app.call('hooks.import', {
      event: 'card.linked',
      url: REGISTERED_URL,
      secret: SECRET,
    })
    await app.call('hooks.update', { id: hook.id, headers: { 'X-Tenant': 'one' } })
    const hookIds = [hook.id]
    const done = await check(handler.url, { hookIds, secret: undefined, registeredUrl: undefined })
    expect(done).toMatchObject({
      failed: 0,
      hookIds,
      events: ['card.linked'],
      registeredUrl: REGISTERED_URL,
    })
    expect(
      done.results.filter(({ outcome }) => outcome === 'skip').map(({ name }) => name),
    ).toEqual(
      'purchases refunds qualified brand locations program unmatched-refund null-fields test-mode-nulls unicode split-letter numbers'.split(
        ' ',
      ),
    )
    expect(handler.booked.every((body) => body.includes('"firstNumbers"'))).toBe(true)
    expect(handler.requests[0]?.headers['x-tenant']).toBe('one')
  })

  test("for several hooks signs each event with its hook's secret", async () => {
    const handler = await handlerWith('secret-per-event')
    const hookFor = async (event: string, secret: string, environment?: string) =>
      (
        await app.call('hooks.import', {
          event,
          url: REGISTERED_URL,
          secret,
          environment,
          live: true,
        })
      ).id
    const purchases = await hookFor('transaction.auth', SECRET)
    const hookIds = [purchases, await hookFor('card.failed', CARD_SECRET)]
    const checkHooks = (ids: string[], more: Parameters<typeof check>[1] = {}) =>
      check(handler.url, { secret: undefined, registeredUrl: undefined, hookIds: ids, ...more })
    const done = await checkHooks(hookIds)
    expect(done).toMatchObject({ failed: 0, hookIds, events: ['transaction.auth', 'card.failed'] })
    expect(done.results.find(({ name }) => name === 'cards')?.outcome).toBe('pass')
    const { run: again } = await app.call('check.again', { runId: done.id, name: 'cards' })
    expect(again.results.map(({ outcome }) => outcome)).not.toContain('fail')

    await expect(checkHooks(hookIds, { events: ['brand.consent'] })).rejects.toThrow(
      'No selected hook is for brand.consent.',
    )
    await expect(checkHooks(hookIds, { secret: SECRET })).rejects.toThrow(
      'Several hooks have their own secrets.',
    )
    const twice = await hookFor('transaction.auth', CARD_SECRET)
    await expect(checkHooks([purchases, twice])).rejects.toThrow(
      'Two of the hooks have the event transaction.auth. Choose one.',
    )
    const apart = await hookFor('card.failed', CARD_SECRET, 'sandbox-live')
    await expect(checkHooks([purchases, apart])).rejects.toThrow(
      'The hooks belong to different environments.',
    )
  })

  test('sets fields in every payload that has them, for handlers that look up their own', async () => {
    const handler = await handlerWith('knows-one-card')
    const events = ['transaction.auth', 'card.failed']
    expect((await check(handler.url, { events })).conclusions).toMatchObject([
      { cause: 'after-signature' },
    ])
    const literals = { 'card.id': JSON.stringify(KNOWN_CARD), amount: '12.50' }
    const known = await check(handler.url, { events, literals })
    expect([known.failed, known.conclusions]).toEqual([0, []])
    expect(handler.booked.some((body) => body.includes('"amount":12.50'))).toBe(true)
    await expect(check(handler.url, { events, literals: { amount: '"abc"' } })).rejects.toThrow(
      'These values make transaction.auth invalid:',
    )
    await expect(check(handler.url, { literals: { live: 'true' } })).rejects.toThrow(
      'To confirm, add --live',
    )
    await expect(check(handler.url, { literals: { 'card.idd': '1' } })).rejects.toThrow(
      "Couldn't set card.idd: field not found in the body. Did you mean card.id?",
    )
  })
})

describe('nothing is sent without consent', () => {
  const elsewhere = 'http://192.0.2.1/in'
  test.each<[string, Partial<InputOf<'check.start'>>, string]>([
    ['without a secret', { secret: undefined }, 'INVALID_INPUT'],
    ['for an unknown case', { only: ['no-such'] }, 'INVALID_INPUT'],
    ['for an unknown event', { events: ['card.lost'] }, 'INVALID_INPUT'],
    ["with a header that hooks can't have", { headers: { host: 'x' } }, 'INVALID_INPUT'],
    [
      'with live payloads without a confirmation',
      { events: ['program.status'] },
      'CONFIRMATION_REQUIRED',
    ],
  ])('%s', async (_name, input, code) => {
    const handler = await handlerWith(null)
    await expect(check(handler.url, input)).rejects.toMatchObject({ code })
    expect(handler.requests).toHaveLength(0)
  })

  test('to a remote host, with the number of requests', async () => {
    await expect(check(elsewhere)).rejects.toMatchObject({
      message: expect.stringMatching(
        /--allow-host 192\.0\.2\.1.* up to \d+ requests at 10000 per second/,
      ),
      details: { host: '192.0.2.1', requests: expect.any(Number) },
    })
  })

  test('if a live event is tested in test mode', async () => {
    const handler = await handlerWith(null)
    await check(handler.url)
    expect(handler.requests.filter(({ body }) => body.includes('"live":true'))).toEqual([])
    const ids = handler.booked.flatMap((body) => body.match(/"[0-9a-f]{8}-[0-9a-f]{4}-4/g) ?? [])
    expect(ids.length).toBeGreaterThan(100)
    expect(ids.filter((id) => !id.startsWith('"c4ec0000'))).toEqual([])
  })
})

test("consent to program.status doesn't include a live hook's secret or repeating a case", async () => {
  let requests = 0
  const server = await serve((request, response) => {
    requests++
    request.resume().on('end', () => response.end())
  })
  const wanted = { secret: 'whsec_of_a_live_hook', only: ['program'], programStatus: true }
  const run = await check(server.url, { ...wanted, events: ['program.status'] })
  const again = { runId: run.id, name: 'program' }
  const { run: tried } = await app.call('check.again', again)
  for (const { live, results } of [run, tried])
    expect([live, results.find(({ name }) => name === 'program')?.outcome]).toEqual([true, 'pass'])
  expect(requests).toBe(3)

  const hook = {
    event: 'program.status',
    url: REGISTERED_URL,
    secret: wanted.secret,
    environment: 'sandbox-live',
  }
  await app.call('hooks.import', { ...hook, live: true })
  const refusal = { code: 'CONFIRMATION_REQUIRED', details: { environment: 'sandbox-live' } }
  await expect(check(server.url, wanted)).rejects.toMatchObject(refusal)
  await expect(app.call('check.again', again)).rejects.toMatchObject(refusal)
  expect(requests).toBe(3)
  expect(await check(server.url, { ...wanted, live: true })).toMatchObject({ passed: 2 })
  await server.close()
})

test('no run, report or file contains the secret or a custom header, even if the handler prints them', async () => {
  const custom = 'value-of-a-custom-header'
  const handler = await handlerWith('echoes-its-secret')
  // In the other core the secret is also a hook's, so it would be masked anyway.
  const fresh = await coreInFolder()
  const input = { headers: { 'X-Tenant': custom }, only: ['first-delivery', 'forged'] }
  const run = await check(handler.url, input, fresh)
  const texts = await Promise.all(
    (['json', 'junit', 'html'] as const).map(
      async (format) => (await fresh.call('check.report', { runId: run.id, format })).text,
    ),
  )
  expect(handler.requests.every(({ headers }) => headers['x-tenant'] === custom)).toBe(true)
  const files = [...(await filesBelow(fresh.dataFolder)).values()].map((bytes) =>
    bytes.toString('latin1'),
  )
  for (const text of [JSON.stringify(run), ...texts, ...files]) {
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain(custom)
  }
  expect(JSON.stringify(run)).toContain('configured with [masked]')
})
