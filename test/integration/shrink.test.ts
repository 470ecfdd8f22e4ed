import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { InputOf } from '../../src/shared/contract/contract.ts'
import { SHRINKABLE_BYTES, type ShrinkResult } from '../../src/shared/model/shrink.ts'
import { signatureOf, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import {
  headerOf,
  startRawEndpoint,
  type RawEndpoint,
  type RawRequest,
} from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'
const SECRET = 'whsec_shrink'
const BODY = String.raw`{
  "id": "5f0c", "live": false, "amount": 1234.50,
  "card": { "id": "9c1", "lastNumbers": "4242", "metadata": { "owner": "Jos\u00e9", "tier": "gold" } },
  "items": [ { "sku": "a", "n": 1 }, { "sku": "b", "n": 12345678901234567890 } ]
}`

let app: TestCore
let url: string
let id: string
const endpoints: RawEndpoint[] = []

async function deliver(body: string | Uint8Array): Promise<string> {
  await app.send(url, {
    body,
    headers: [...signedHeaders(SECRET, body, url), ['x-service-message-id', 'm-1']],
  })
  return (await app.latest()).id
}

beforeAll(async () => {
  app = await coreInFolder()
  url = `${app.receiver}/h/shrink`
  await app.call('hooks.import', { event: 'transaction.auth', url, secret: SECRET })
  id = await deliver(BODY)
})
afterEach(async () => {
  await Promise.all(endpoints.splice(0).map((one) => one.close()))
  expect(app.bugs).toEqual([])
})

async function endpoint(
  answer: (request: RawRequest, number: number) => number | string | null,
): Promise<RawEndpoint> {
  const started = await startRawEndpoint(answer)
  endpoints.push(started)
  return started
}

const textOf = ({ base64 }: ShrinkResult) => Buffer.from(base64, 'base64').toString()

async function shrink(
  target: RawEndpoint,
  more: Partial<InputOf<'shrink.start'>> = {},
): Promise<ShrinkResult> {
  const { run } = await app.call('shrink.start', {
    id,
    to: `${target.origin}/hook`,
    ...more,
  })
  return endOf(run.id)
}

async function endOf(runId: string): Promise<ShrinkResult> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      const stop = app.client.on('shrink.changed', ({ run }) => {
        if (run.id !== runId || run.outcome === null) return
        stop()
        resolve()
      })
    })
    const result = await app.call('shrink.get', { runId })
    if (result.run.outcome !== null) return result
    await changed
  }
}

const answered = (status: number, text: string) =>
  `HTTP/1.1 ${status} Answered\r\ncontent-length: ${text.length}\r\n\r\n${text}`

describe('a handler that fails', () => {
  test('gets the smallest body, with every request correctly signed, and the fields that matter', async () => {
    const handler = await endpoint(({ body }) => {
      const { items, card } = JSON.parse(body.toString()) as {
        items?: { n?: number }[]
        card?: { metadata?: { owner?: string } }
      }
      return items?.some(({ n }) => n !== undefined && n > 1e19) === true &&
        card?.metadata?.owner !== undefined
        ? 500
        : 200
    })
    const result = await shrink(handler)
    expect(textOf(result)).toBe(
      '{"card":{"metadata":{"owner":""}},"items":[{"n":12345678901234567890}]}',
    )
    expect(result).toMatchObject({
      run: {
        outcome: 'smallest',
        kind: 'json',
        phase: 'ended',
        originalSize: BODY.length,
        size: 71,
        sends: handler.requests.length,
      },
      failure: { status: 500, kind: null },
      fields: [
        { path: 'card.metadata.owner', value: '""', needed: 'presence' },
        { path: 'items[0].n', value: '12345678901234567890', needed: 'value' },
      ],
    })
    expect(handler.requests.length).toBeLessThan(60)
    for (const request of handler.requests) {
      const timestamp = headerOf(request, 'x-service-timestamp') ?? ''
      expect(Math.abs(Date.now() - Number(timestamp))).toBeLessThan(60_000)
      expect(headerOf(request, 'x-service-signature')).toBe(
        signatureOf(SECRET, request.body, url, timestamp),
      )
      expect(headerOf(request, 'x-service-message-id')).toBe('m-1')
    }
    expect((await app.call('replay.ofDelivery', { id })).sends).toEqual([])
  })

  test('another failure with the same status is distinguished by the content of the response', async () => {
    const handler = await endpoint(({ body }) => {
      const { card } = JSON.parse(body.toString()) as { card?: { metadata?: { owner?: string } } }
      if (card?.metadata === undefined) return answered(500, "TypeError: Cannot read 'metadata'")
      return /[^ -~]/.test(card.metadata.owner ?? '') ? answered(500, 'UnicodeError: owner') : 200
    })
    const slipped = await shrink(handler)
    expect(textOf(slipped)).toBe('{}')
    // No field is left that could be the cause.
    expect(slipped.fields).toEqual([])
    expect(slipped.run.message).toContain('fails even without any field')
    expect([slipped.run.failure?.answer, slipped.failure?.answer]).toEqual([
      'UnicodeError: owner',
      "TypeError: Cannot read 'metadata'",
    ])
    const held = await shrink(handler, { answerHolds: 'UnicodeError' })
    expect(textOf(held)).toBe(String.raw`{"card":{"metadata":{"owner":"\u00e9"}}}`)
  })

  test("a dropped connection, over bytes that aren't JSON, is searched too", async () => {
    const binary = await deliver(Uint8Array.from({ length: 40 }, (_, index) => (index * 7) % 256))
    const handler = await endpoint(({ body }) =>
      body.includes(70) && body.includes(203) ? 'nonsense\r\n\r\n' : 200,
    )
    const result = await shrink(handler, { id: binary })
    expect([...Buffer.from(result.base64, 'base64')]).toEqual([70, 203])
    expect(result).toMatchObject({
      run: { outcome: 'smallest', kind: 'bytes', failure: { status: null, kind: 'not-http' } },
      removed: 38,
    })
  })
})

test('a body of megabytes is searched, and one over the limit is rejected with the limit', async () => {
  const items = Array.from({ length: 12_000 }, (_, n) => ({
    id: `5f0c-${n}`,
    amount: n,
    card: { tier: n === 777 ? 'bad' : 'gold' },
  }))
  const text = JSON.stringify({ items })
  expect(text.length).toBeGreaterThan(600_000)
  const handler = await endpoint(({ body }) => (body.includes('"bad"') ? 500 : 200))
  const result = await shrink(handler, { id: await deliver(text) })
  expect(textOf(result)).toBe('{"items":[{"card":{"tier":"bad"}}]}')
  expect(result).toMatchObject({
    run: { outcome: 'smallest', originalSize: text.length },
    removed: 12_000 * 5 - 3,
    fields: [{ path: 'items[0].card.tier', value: '"bad"', needed: 'value' }],
  })
  const tooLarge = await deliver(Buffer.alloc(SHRINKABLE_BYTES + 1, 'x'))
  await expect(
    app.call('shrink.start', { id: tooLarge, to: handler.origin }),
  ).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('up to 4 MiB'),
  })
})

describe('nothing is found if', () => {
  test("the handler acknowledges, fails inconsistently, or can't be reached", async () => {
    expect((await shrink(await endpoint(() => 200))).run).toMatchObject({
      outcome: 'passes',
      sends: 1,
    })
    const flaky = await shrink(await endpoint((_, number) => (number === 2 ? 200 : 500)))
    expect(flaky.run).toMatchObject({ outcome: 'flaky', sends: 2 })
    expect(flaky.run.message).toContain('it returned 500, then acknowledged on the second try')
    const gone = await startRawEndpoint()
    await gone.close()
    expect(await shrink(gone)).toMatchObject({
      run: { outcome: 'unreachable', sends: 1 },
      failure: { kind: 'refused' },
    })
    const crashing = await startRawEndpoint(() => {
      void crashing.close()
      return 'HTTP/1.1 500 Crash\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'
    })
    const { run } = await app.call('shrink.start', { id, to: crashing.origin })
    const read = async () => (await app.call('shrink.get', { runId: run.id })).run.sends
    await expect.poll(read).toBeGreaterThan(1)
    expect((await app.call('shrink.cancel', { runId: run.id })).run.outcome).toBe('cancelled')
  })

  test('the search stops at a limit or when cancelled, with the smallest body so far', async () => {
    const fails = ({ body }: RawRequest) => (body.includes('4242') ? 503 : 200)
    const limited = await shrink(await endpoint(fails), { maxSends: 10 })
    expect(limited.run).toMatchObject({ outcome: 'limit', sends: 10 })
    expect(limited.run.size).toBeLessThan(BODY.length)
    expect(textOf(limited)).toContain('4242')
    const { run } = await app.call('shrink.start', {
      id,
      to: (await endpoint(fails)).origin,
      rate: 20,
    })
    await new Promise<void>((resolve) => {
      const stop = app.client.on('shrink.changed', (changed) => {
        if (changed.run.id !== run.id || changed.run.size === BODY.length) return
        stop()
        resolve()
      })
    })
    const cancelled = await app.call('shrink.cancel', { runId: run.id })
    expect(cancelled.run).toMatchObject({ outcome: 'cancelled', phase: 'ended' })
    expect(cancelled.run.size).toBeLessThan(BODY.length)
  })

  test('its target or hook is unknown, or it has no secret to sign with', async () => {
    const start = (more: Partial<InputOf<'shrink.start'>>) =>
      app.call('shrink.start', { id, ...more })
    await expect(start({ to: 'nowhere' })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(start({ hookId: 'nobody' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(app.call('shrink.get', { runId: 'nobody' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await app.send(`${app.receiver}/nobody`, { body: '{}', headers: [] })
    await expect(start({ id: 'latest', to: 'http://127.0.0.1:9' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('No hook matches this delivery'),
    })
  })
})
