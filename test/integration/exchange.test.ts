import { hash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:tls'
import { brotliCompressSync } from 'node:zlib'
import { fc, test as property } from '@fast-check/vitest'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { unpackSeqs } from '../../src/shared/rpc/delivery-seqs.ts'
import { exportPages } from '../../src/shared/import-export/export-pages.ts'
import { waitForDeliveries } from '../support/read-deliveries.ts'
import { createDeliverer, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { findPlanted, plant } from '../support/planted-secrets.ts'
import type { TestCore } from '../support/test-core.ts'
import { everything, exported, imported } from '../support/export-import.ts'
import { times } from '../support/long-form.ts'
import { ownId } from '../support/id-of-name.ts'

const SECRET = plant('whsec-exchanged-')
const TOKEN = plant('token-of-a-header-')

let from: TestCore
let to: TestCore
let url: string

beforeAll(async () => {
  from = await coreInFolder()
  to = await coreInFolder()
  url = `${from.receiver}/h/one`
  const hook = { event: 'transaction.auth', url, secret: SECRET }
  await from.call('hooks.import', hook)
  const deliverer = createDeliverer(from.caFile)
  const bodies: (string | Buffer)[] = [
    '{"amount":10.00,"a":1,"a":2}',
    Buffer.from([0, 0xff, 0xfe, 10, 13]),
    '',
    `{"leaked":${JSON.stringify(SECRET)},"again":"${encodeURIComponent(SECRET)}"}`,
    '{"name":"Café \u2028 ‮"}',
  ]
  for (const body of bodies)
    await deliverer.send(url, { body, headers: signedHeaders(SECRET, body, url) })
  await deliverer.send(`${url}?b=%20&b=2&secret=${encodeURIComponent(SECRET)}`, {
    body: '{}',
    headers: [
      ...signedHeaders('nobody', '{}', url),
      ['X-Twice', TOKEN],
      ['x-TWICE', 'second'],
      ['authorization', `Bearer ${TOKEN}`],
      ['cookie', TOKEN],
      ['service-key', TOKEN],
    ],
  })
  const packed = brotliCompressSync(`{"token":${JSON.stringify(SECRET)}}`)
  await deliverer.send(url, {
    body: packed,
    headers: [...signedHeaders(SECRET, packed, url), ['content-encoding', 'br']],
  })
  // The same delivery again: a duplicate after the acknowledgement.
  const again = signedHeaders(SECRET, bodies[0] ?? '', url)
  await deliverer.send(url, { body: bodies[0] ?? '', headers: again })
  deliverer.close()
  await from.call('marks.set', {
    ids: ['latest'],
    marks: { pinned: true, note: 'this one' },
  })
})

describe('JSON Lines', () => {
  test('export, import and export again give the same bytes', async () => {
    const first = await exported(from.client)
    expect(first.trimEnd().split('\n')).toHaveLength(8)
    expect(await imported(to.client, first)).toMatchObject({ imported: 8, known: 0, refused: 0 })
    expect(await exported(to.client)).toBe(first)
    expect(await imported(to.client, first)).toMatchObject({ imported: 0, known: 8, refused: 0 })
    expect(await exported(to.client)).toBe(first)
    expect(await imported(from.client, first)).toMatchObject({ imported: 0, known: 8 })
    expect([...from.bugs, ...to.bugs]).toEqual([])
  })

  test('imported deliveries are listed by the time they were received, between those of this folder', async () => {
    const own = await coreInFolder()
    await own.client.call('sandbox.sample', {})
    const [line = ''] = (await exported(from.client)).split('\n')
    const later = (hour: string) =>
      JSON.stringify({ ...JSON.parse(line), id: randomUUID(), receivedAt: `${hour}:00.000Z` })
    const lines = ['2020-01-01T10:00', '2090-01-01T10:00', '2020-01-01T09:00'].map(later)
    await imported(own.client, `${lines.join('\n')}\n`)
    const years = async (descending: boolean) => {
      const { seqs } = await own.client.call('deliveries.seqs', { by: 'time', descending })
      const { rows } = await own.client.call('deliveries.rows', { seqs: unpackSeqs(seqs ?? []) })
      return rows.map(({ receivedAt }) => receivedAt.slice(0, 13))
    }
    const now = new Date().toISOString().slice(0, 13)
    const order = ['2090-01-01T10', now, '2020-01-01T10', '2020-01-01T09']
    expect(await years(true)).toEqual(order)
    expect(await years(false)).toEqual(order.toReversed())
  })

  property.prop(
    [
      fc.array(fc.tuple(fc.uint8Array({ maxLength: 60 }), fc.string({ maxLength: 30 })), {
        minLength: 1,
        maxLength: 5,
      }),
    ],
    {
      numRuns: times(15, 300),
    },
  )('any body and any header value goes round unchanged', async (deliveries) => {
    const [line = ''] = (await exported(from.client)).split('\n')
    const record = JSON.parse(line) as object
    const made = deliveries.map(([body, value], index) =>
      JSON.stringify({
        ...record,
        id: ownId(`${Date.now()} ${Math.random()} ${index}`),
        headers: [['x-a', value]],
        bodySize: body.length,
        bodySha256: hash('sha256', body, 'hex'),
        body: Buffer.from(body).toString('base64'),
        event: 'card.linked',
        schema: 'not-json',
      }),
    )
    await imported(to.client, made.join('\n'))
    const ids = made.map((text) => (JSON.parse(text) as { id: string }).id)
    const back = (await exported(to.client, { ids })).trimEnd().split('\n')
    const parts = (text: string) => {
      const { id, headers, body, verdict } = JSON.parse(text) as Record<string, unknown>
      return { id, headers, body, verdict }
    }
    expect(back.map(parts)).toEqual(made.map(parts))
  })
})

test('imported deliveries are not forwarded: of two, only the one received here is', async () => {
  const { client } = to
  const { target } = await client.call('forward.add', { url: 'https://127.0.0.1:9/nobody' })
  await client.call('forward.pause', { id: target.id })
  const line = (await exported(from.client)).split('\n')[0] ?? ''
  await imported(
    client,
    JSON.stringify({ ...(JSON.parse(line) as object), id: ownId('not forwarded') }),
  )
  const deliverer = createDeliverer(to.caFile)
  await deliverer.send(`${to.receiver}/received-here`, { body: '{}', headers: [] })
  deliverer.close()
  const queued = async () =>
    (await client.call('forward.list', {})).targets.map(({ queue }) => queue.waiting)
  await expect.poll(queued).toEqual([1])
  expect((await client.call('deliveries.get', { id: 'latest' })).path).toBe('/received-here')
  await client.call('forward.remove', { id: target.id })
})

describe('by default, no secret is exported', () => {
  const formats = ['jsonl', 'har', 'curl'] as const

  test.each(formats)('%s: not in headers, path or body, compressed or not', async (format) => {
    const text = await exported(from.client, { format, includeSecrets: false })
    const bodies = format === 'jsonl' ? bodiesOf(text) : []
    for (const bytes of [Buffer.from(text), ...bodies])
      expect(findPlanted([SECRET, TOKEN], bytes)).toEqual([])
    expect(text).toContain('[masked]')
  })

  test('in any format: nor the value of a custom header that a body repeats', async () => {
    const app = await coreInFolder()
    const [ofHook, ofDelivery] = [plant('custom-of-hook-'), plant('custom-of-delivery-')]
    const own = `${app.receiver}/h/custom`
    await app.call('sandbox.sample', {})
    const { hook } = await app.call('hooks.add', {
      event: 'transaction.auth',
      url: own,
      environment: 'sandbox-test',
      headers: { 'X-Own': ofHook },
      programId: await app.program(),
    })
    expect(hook.headers).toEqual({ 'X-Own': ofHook })
    const deliverer = createDeliverer(app.caFile)
    const body = JSON.stringify({
      of: ofHook,
      seen: encodeURIComponent(ofDelivery),
      again: btoa(ofDelivery),
    })
    await deliverer.send(own, {
      body,
      headers: [...signedHeaders('nobody', body, own), ['X-Other', ofDelivery]],
    })
    deliverer.close()
    const asked = { query: 'path:/h/custom' }
    for (const format of formats) {
      const text = await exported(app.client, { ...asked, format, includeSecrets: false })
      for (const bytes of [Buffer.from(text), ...(format === 'jsonl' ? bodiesOf(text) : [])])
        expect([format, findPlanted([ofHook, ofDelivery], bytes)]).toEqual([format, []])
    }
    // Stored data doesn't change: with --include-secrets, the same bytes are exported.
    const whole = await exported(app.client, { ...asked, format: 'jsonl' })
    expect(bodiesOf(whole).map(String)).toEqual([body])
  })

  test.each(formats)('%s: with --include-secrets, everything is as received', async (format) => {
    const text = await exported(from.client, { format })
    const found = [Buffer.from(text), ...(format === 'jsonl' ? bodiesOf(text) : [])].flatMap(
      (bytes) => findPlanted([SECRET, TOKEN], bytes),
    )
    expect(new Set(found.map(({ secret }) => secret))).toEqual(new Set([SECRET, TOKEN]))
  })

  test('a masked export can be imported, and its hash shows that it differs from the original', async () => {
    const empty = await coreInFolder()
    const text = await exported(from.client, { includeSecrets: false })
    expect(await imported(empty.client, text)).toMatchObject({ imported: 8, refused: 0 })
    expect(await exported(empty.client, { includeSecrets: false })).toBe(text)
  })
})

function bodiesOf(jsonLines: string): Buffer[] {
  return jsonLines
    .trimEnd()
    .split('\n')
    .map((line) => Buffer.from((JSON.parse(line) as { body: string }).body, 'base64'))
}

/** The fields that HAR 1.2 requires, one by one; any other name must start with an underscore. */
const pair = z.strictObject({ name: z.string(), value: z.string() })
const own = <T extends z.ZodRawShape>(shape: T) =>
  z
    .looseObject(shape)
    .refine((value) => Object.keys(value).every((name) => name in shape || name.startsWith('_')))
const har = z.strictObject({
  log: z.strictObject({
    version: z.literal('1.2'),
    creator: z.strictObject({ name: z.string(), version: z.string() }),
    entries: z.array(
      own({
        startedDateTime: z.iso.datetime(),
        time: z.number().min(0),
        request: own({
          method: z.string(),
          url: z.url(),
          httpVersion: z.string(),
          cookies: z.array(z.never()),
          headers: z.array(pair),
          queryString: z.array(pair),
          postData: own({
            mimeType: z.string(),
            params: z.array(z.never()),
            text: z.string(),
            comment: z.string().optional(),
          }).optional(),
          headersSize: z.number(),
          bodySize: z.number(),
        }),
        response: own({
          status: z.number(),
          statusText: z.string(),
          httpVersion: z.string(),
          cookies: z.array(z.never()),
          headers: z.array(pair),
          content: own({ size: z.number(), mimeType: z.string() }),
          redirectURL: z.string(),
          headersSize: z.number(),
          bodySize: z.number(),
          comment: z.string().optional(),
        }),
        cache: z.strictObject({}),
        timings: z.strictObject({ send: z.number(), wait: z.number(), receive: z.number() }),
        comment: z.string().optional(),
      }),
    ),
  }),
})

describe('HAR', () => {
  test('leaves out requests without a method, and has URLs that can be parsed', async () => {
    const app = await coreInFolder()
    const socket = connect(Number(new URL(app.receiver).port), '127.0.0.1', {
      ca: await readFile(app.caFile),
    })
    socket.on('error', () => undefined).end('post / HTTP/1.1\r\nHost: x\r\n\r\n')
    await waitForDeliveries(app.client, 1)
    const deliverer = createDeliverer(app.caFile)
    await deliverer.send(`${app.receiver}/h`, { body: '{}', headers: [['host', 'a b']] })
    deliverer.close()
    const { log } = har.parse(JSON.parse(await exported(app.client, { format: 'har' })))
    expect(log.entries.map(({ request }) => [request.method, request.url])).toEqual([
      ['POST', 'https://127.0.0.1/h'],
    ])
  })

  test('is valid, with headers in order including duplicates, and binary bytes in Base64', async () => {
    const { log } = har.parse(JSON.parse(await exported(from.client, { format: 'har' })))
    expect(log.entries).toHaveLength(8)
    const twice = log.entries[5]?.request
    expect(twice?.headers.filter(({ name }) => name.toLowerCase() === 'x-twice')).toEqual([
      { name: 'X-Twice', value: TOKEN },
      { name: 'x-TWICE', value: 'second' },
    ])
    expect(twice?.queryString).toEqual([
      { name: 'b', value: ' ' },
      { name: 'b', value: '2' },
      { name: 'secret', value: SECRET },
    ])
    expect(log.entries[1]?.request.postData).toMatchObject({
      text: 'AP/+Cg0=',
      _encoding: 'base64',
    })
    expect(log.entries[0]?.request.postData?.text).toBe('{"amount":10.00,"a":1,"a":2}')
    expect(log.entries[2]?.request.postData).toBeUndefined()
    expect(log.entries.map(({ response }) => response.status)).toEqual(
      Array.from({ length: 8 }, () => 200),
    )
  })
})

test('a large export goes page by page, oldest first, each delivery once, and stops if cancelled', async () => {
  const line = (await exported(from.client)).split('\n')[0] ?? ''
  const record = JSON.parse(line) as object
  const many = Array.from({ length: 450 }, (_, index) =>
    JSON.stringify({ ...record, id: ownId(`many ${index}`), path: '/many' }),
  )
  await imported(to.client, many.join('\n'))
  const stopping = new AbortController()
  const request = { ...everything, query: 'path:/many', format: 'jsonl' } as const
  const progress: number[] = []
  let text = ''
  for await (const piece of exportPages(to.client, request, stopping.signal)) {
    expect(piece.total).toBe(450)
    progress.push(piece.done)
    text += piece.text
  }
  expect(progress.length).toBeGreaterThan(6)
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((one) => (JSON.parse(one) as { id: string }).id),
  ).toEqual(many.map((one) => (JSON.parse(one) as { id: string }).id))
  const cancelled = (async () => {
    for await (const { done } of exportPages(to.client, request, stopping.signal))
      if (done > 0) stopping.abort()
  })()
  await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
})

test("a command doesn't contain a secret from the hook's registered URL either", async () => {
  const secret = plant('whsec-in-a-url-')
  const inUrl = `${from.receiver}/h/two?token=${secret}`
  await from.call('hooks.import', { event: 'card.linked', url: inUrl, secret })
  const deliverer = createDeliverer(from.caFile)
  await deliverer.send(inUrl, { body: '{}', headers: signedHeaders(secret, '{}', inUrl) })
  deliverer.close()
  const text = await exported(from.client, {
    ids: ['latest'],
    format: 'curl',
    includeSecrets: false,
  })
  expect(findPlanted([secret], Buffer.from(text))).toEqual([])
  expect(text).toContain('/h/two?token=[masked]')
})
