import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { secretKey, signDelivery } from '../../src/core/signature/sign.ts'
import { coreInFolder, databaseInFolder } from '../support/in-folder.ts'
import type { TestCore } from '../support/test-core.ts'
import { captureOf } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const SECRET = 'whsec_of_this_hook_0123456789'
const PREVIOUS = 'whsec_before_it_0123456789'
const LIVE = 'whsec_of_the_live_hook_0123456789'
const BODY = '{"amount":10.00}'

let app: TestCore
let url: string

beforeAll(async () => {
  app = await coreInFolder()
  url = `${app.receiver}/h/one`
  const { call } = app
  const hook = await call('hooks.import', { event: 'transaction.auth', url, secret: PREVIOUS })
  await call('hooks.rotate', { id: hook.id, secret: SECRET })
  const live = {
    event: 'transaction.auth',
    url: `${app.receiver}/h/live`,
    secret: LIVE,
    environment: 'sandbox-live',
    live: true,
  }
  await call('hooks.import', live)
})

interface Sent {
  readonly body?: string | Uint8Array
  readonly headers?: readonly (readonly [string, string])[]
  readonly path?: string
}

async function deliver(
  sign: (timestamp: string) => string,
  { body = BODY, headers = [], path = '/h/one' }: Sent = {},
): Promise<string> {
  const timestamp = String(Date.now())
  const own: [string, string][] = [
    ['x-service-signature', sign(timestamp)],
    ['x-service-timestamp', timestamp],
  ]
  await app.send(app.receiver + path, { body, headers: [...own, ...headers] })
  return (await app.latest()).id
}

function signed(secret: string, timestamp: string, over = url): string {
  return signDelivery({ body: Buffer.from(BODY), url: over, timestamp, key: secretKey(secret) })
    .signature
}

/** Returns the first of the two hashes, which many take for the signature. */
function hashedOnce(secret: string, timestamp: string, over = url): string {
  return createHmac('sha256', secret).update(BODY).update(over).update(timestamp).digest('base64')
}

async function diagnosed(id: string) {
  return (await app.call('deliveries.signature', { id })).diagnosis
}

describe('every stored secret is tried', () => {
  test('the secret of a live hook over the URL of a test hook', async () => {
    const found = await diagnosed(await deliver((timestamp) => signed(LIVE, timestamp)))
    expect(found?.causes).toEqual(['secret:other-environment'])
    expect(found?.message).toContain('/h/live')
  })

  test('a previous secret, hashed once', async () => {
    const id = await deliver((timestamp) => hashedOnce(PREVIOUS, timestamp))
    expect((await diagnosed(id))?.causes).toEqual(['secret:previous', 'passes:once'])
  })

  test("an environment's API key, which is named but not shown", async () => {
    const { environments } = await app.call('environments.list', { includeSecrets: true })
    const key = environments.find(({ name }) => name === 'sandbox-live')?.key ?? ''
    const found = await diagnosed(await deliver((timestamp) => signed(key, timestamp)))
    expect(found?.causes).toEqual(['secret:api-key'])
    expect(found?.message).toContain('sandbox-live')
    expect(JSON.stringify(found)).not.toContain(key)
  })
})

describe('a delivery that matches no hook is compared with every hook', () => {
  const elsewhere = () => `${app.receiver}/moved/one`

  test('the right secret over the URL of the request, if another URL is registered', async () => {
    const id = await deliver((timestamp) => signed(SECRET, timestamp, elsewhere()), {
      path: '/moved/one',
    })
    expect(await app.call('deliveries.get', { id })).toMatchObject({
      verdict: 'unknown-hook',
    })
    const found = await diagnosed(id)
    expect(found?.causes).toEqual(['url:local'])
    expect(found?.message).toContain(`Compared with the transaction.auth hook at ${url}: `)
  })

  test('if several hooks explain it, the one with the fewest mistakes is named', async () => {
    const id = await deliver((timestamp) => hashedOnce(LIVE, timestamp, elsewhere()), {
      path: '/moved/one',
    })
    const found = await diagnosed(id)
    expect(found?.causes.toSorted()).toEqual(['passes:once', 'url:local'])
    expect(found?.message).toContain('/h/live: ')
  })
})

describe('neighboring deliveries are tried', () => {
  test('the Date header for the timestamp', async () => {
    const date = 'Fri, 21 Nov 2025 04:40:07 GMT'
    const id = await deliver(() => signed(SECRET, date), { headers: [['date', date]] })
    expect((await diagnosed(id))?.causes).toEqual(['timestamp:date-header'])
  })

  test('the Host header for the registered URL', async () => {
    const found = await diagnosed(
      await deliver((timestamp) =>
        signed(SECRET, timestamp, url.replace('127.0.0.1', 'localhost')),
      ),
    )
    expect(found?.causes).toEqual(['url:local'])
  })
})

describe('what a handler of yours sees', () => {
  beforeAll(async () => {
    const handler = { name: 'mine', url: 'http://127.0.0.1:4900/webhooks', secret: SECRET }
    await app.call('handlers.add', handler)
  })

  test.each([
    ['its own URL', 'http://127.0.0.1:4900/webhooks'],
    ['its own URL under its other name', 'http://localhost:4900/webhooks'],
  ])('%s in its digest', async (_name, over) => {
    const { call } = app
    const id = await deliver((timestamp) => signed(SECRET, timestamp))
    const signature = await call('deliveries.signature', { id })
    const computed = signed(SECRET, signature.timestamp ?? '', over)
    const trial = await call('deliveries.diagnose', { id, computed })
    expect(trial.computed?.diagnosis).toMatchObject({
      causes: ['url:local'],
      fix: `Sign the URL exactly as registered: ${url}`,
    })
  })

  test('a signature made before compression', async () => {
    const compressed = gzipSync(BODY)
    const id = await deliver((timestamp) => signed(SECRET, timestamp), {
      body: compressed,
      headers: [['content-encoding', 'gzip']],
    })
    const found = await diagnosed(id)
    expect(found?.causes).toEqual(['body:decompressed'])
    expect(found?.message).toBe('Signed over the body before it was compressed (gzip).')
  })
})

describe('a given secret or URL', () => {
  test('if the stored secret is right and the given one is wrong, the report says so', async () => {
    const id = await deliver((timestamp) => signed(SECRET, timestamp))
    const tried = async (given: { readonly secret?: string; readonly url?: string }) => {
      const { report } = await app.call('deliveries.diagnose', { id, ...given })
      return report.diagnosis?.causes
    }
    expect(await tried({ secret: 'whsec_mistyped' })).toEqual(['secret:stored'])
    expect(await tried({ url: 'https://example.com/elsewhere' })).toEqual(['url:stored'])
    expect(
      (await tried({ secret: 'whsec_mistyped', url: 'https://example.com/elsewhere' }))?.toSorted(),
    ).toEqual(['secret:stored', 'url:stored'])
    const before = await deliver((timestamp) => signed(PREVIOUS, timestamp))
    const { report } = await app.call('deliveries.diagnose', {
      id: before,
      secret: 'whsec_mistyped',
    })
    expect(report.diagnosis?.causes).toEqual(['secret:previous'])
  })

  test('a delivery that matches no hook is compared with the URL it was sent to', async () => {
    const there = `${app.receiver}/nobody?x=1`
    const id = await deliver((timestamp) => signed('whsec_elsewhere', timestamp, there), {
      path: '/nobody?x=1',
    })
    const { report } = await app.call('deliveries.diagnose', {
      id,
      secret: 'whsec_elsewhere',
    })
    expect(report).toMatchObject({ verdict: 'valid', url: there })
    await expect(app.call('deliveries.diagnose', { id, computed: 'x' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('secret'),
    })
  })

  test('two different signature headers are invalid with any secret', async () => {
    const id = await deliver((timestamp) => signed(SECRET, timestamp), {
      headers: [['x-service-signature', 'another']],
    })
    const { report } = await app.call('deliveries.diagnose', { id, secret: SECRET })
    expect(report.verdict).toBe('invalid')
  })

  test('a delivery without a signature stays unsigned, and a digest is still explained', async () => {
    const timestamp = String(Date.now())
    await app.send(url, { body: BODY, headers: [['x-service-timestamp', timestamp]] })
    const first = hashedOnce(SECRET, timestamp)
    const { report, computed } = await app.call('deliveries.diagnose', {
      id: 'latest',
      computed: ` ${first} `,
    })
    expect(report.verdict).toBe('unsigned')
    expect(computed).toMatchObject({
      outcome: 'explained',
      digest: first,
      diagnosis: { cause: 'passes:once' },
      isReceived: false,
    })
  })

  test('without a timestamp, nothing can be computed', async () => {
    await app.send(url, { body: BODY, headers: [['x-service-signature', 'x']] })
    await expect(
      app.call('deliveries.diagnose', { id: 'latest', computed: 'x' }),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('timestamp'),
    })
  })
})

describe('headers that a proxy merged into one', () => {
  const sendMerged = async (signature: string, timestamp: string) => {
    await app.send(url, {
      body: BODY,
      headers: [
        ['x-service-signature', signature],
        ['x-service-timestamp', timestamp],
      ],
    })
    return app.latest()
  }

  test.each([', ', ','])('equal values count as one (%j)', async (by) => {
    const now = String(Date.now())
    const right = signed(SECRET, now)
    expect(await sendMerged(right + by + right, now)).toMatchObject({ verdict: 'valid' })
    expect(await sendMerged(right, now + by + now)).toMatchObject({
      verdict: 'valid',
      freshness: 'fresh',
    })
  })

  test('different values are a cause, in one line or several', async () => {
    const now = String(Date.now())
    const right = signed(SECRET, now)
    const other = signed('whsec_elsewhere', now)
    const merged = await sendMerged(`${other}, ${right}`, now)
    expect(merged.verdict).toBe('invalid')
    expect((await diagnosed(merged.id))?.causes).toEqual(['encoding:several'])
    const times = await sendMerged(right, `${now}, ${Number(now) - 1}`)
    expect((await diagnosed(times.id))?.causes).toEqual(['timestamp:several'])
    const lines = await deliver((timestamp) => signed(SECRET, timestamp), {
      headers: [['x-service-signature', other]],
    })
    expect((await diagnosed(lines))?.causes).toEqual(['encoding:several'])
  })
})

describe('the secret of a deleted hook', () => {
  const DELETED = 'whsec_of_a_deleted_hook_0123456789'
  let over: string

  beforeAll(async () => {
    over = `${app.receiver}/h/deleted`
    const hook = { event: 'card.linked', url: over, secret: DELETED }
    const { id } = await app.call('hooks.import', hook)
    await app.call('hooks.remove', { id })
  })

  test('a valid delivery says so in lists, by itself, and in its report', async () => {
    const id = await deliver((timestamp) => signed(DELETED, timestamp, over), {
      path: '/h/deleted',
    })
    const { items } = await app.call('deliveries.list', { limit: 1 })
    const valid = { id, verdict: 'valid', hookDeleted: true }
    expect([items[0], await app.call('deliveries.get', { id })]).toMatchObject([valid, valid])
    const report = { url: over, hookEvent: 'card.linked', hookDeleted: true }
    expect(await app.call('deliveries.signature', { id })).toMatchObject(report)
    expect((await app.call('deliveries.diagnose', { id })).report).toMatchObject(report)
  })

  test('an invalid delivery has it as its cause', async () => {
    const found = await diagnosed(await deliver((timestamp) => signed(DELETED, timestamp)))
    expect(found?.causes).toEqual(['secret:deleted-hook'])
    expect(found?.message).toContain(`the deleted card.linked hook at ${over}`)
  })
})

test("a truncated body can't be diagnosed", async () => {
  const timestamp = String(Date.now())
  const headers: [string, string][] = [
    ['x-service-signature', signed(SECRET, timestamp)],
    ['x-service-timestamp', timestamp],
  ]
  await app.send(url, { body: Buffer.alloc(11 * 1_048_576, 0x20), headers })
  const { truncated, id } = await app.latest()
  expect(truncated).toBe(true)
  for (const given of [{ secret: SECRET }, { url }, { computed: 'x' }])
    await expect(app.call('deliveries.diagnose', { id, ...given })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
  expect((await app.call('deliveries.diagnose', { id })).report).toMatchObject({
    verdict: 'invalid',
    expected: null,
  })
})

test("a closed question isn't computed; the next one starts immediately", async () => {
  const id = await deliver((timestamp) => signed('whsec_elsewhere', timestamp))
  const gone = Array.from({ length: 40 }, () => {
    const controller = new AbortController()
    const call = app.call('deliveries.signature', { id }, { signal: controller.signal })
    controller.abort()
    return call.catch((error: unknown) => (error as { code?: string }).code)
  })
  expect(new Set(await Promise.all(gone))).toEqual(new Set(['CANCELLED']))
  expect(await app.call('deliveries.signature', { id })).toMatchObject({
    verdict: 'invalid',
  })
  expect(app.bugs).toEqual([])
})

test('the cause of an invalid signature is stored behind ingest, and again when another secret explains it', async () => {
  const LATER = 'whsec_known_only_later_0123456789'
  const [once, valid, unknown] = [
    await deliver((timestamp) => hashedOnce(SECRET, timestamp)),
    await deliver((timestamp) => signed(SECRET, timestamp)),
    await deliver((timestamp) => signed(LATER, timestamp)),
  ]
  const causeOf = async (id: string) => (await app.call('deliveries.get', { id })).cause
  const becomes = (id: string, cause: string) =>
    until(
      app.client,
      'deliveries.changed',
      () => causeOf(id),
      (found) => found === cause,
    )
  await becomes(once, 'passes:once')
  expect((await diagnosed(once))?.cause).toBe('passes:once')
  expect([await causeOf(valid), await causeOf(unknown)]).toEqual([null, null])

  await app.hook('/h/later', LATER, { event: 'card.linked' })
  await becomes(unknown, 'secret:other-hook')
  expect(await causeOf(once)).toBe('passes:once')
  expect(app.bugs).toEqual([])
})

test('earlier deliveries are diagnosed too when hooks change, however many invalid ones came after them', async () => {
  const database = databaseInFolder()
  const registered = 'https://hooks.example/h/one'
  const timestamp = String(Date.now())
  const signature = hashedOnce(SECRET, timestamp, registered)
  const headers = JSON.stringify([
    ['x-service-signature', signature],
    ['x-service-timestamp', timestamp],
  ])
  const invalid = { verdict: 'invalid', freshness: 'fresh', path: '/h/one', headers } as const
  const earlier = Array.from({ length: 12 }, () => captureOf(BODY, invalid))
  // Only the start of their bodies is stored, so nothing can explain them.
  const later = Array.from({ length: 2_100 }, () =>
    captureOf(BODY, { ...invalid, truncated: true }),
  )
  database.put([...earlier, ...later])
  database.close()
  const old = await coreInFolder({ dataFolder: database.folder })
  const causes = async () => {
    const rows = await Promise.all(
      earlier.map(({ row: { id } }) => old.call('deliveries.get', { id })),
    )
    return rows.map(({ cause }) => cause)
  }
  expect(new Set(await causes())).toEqual(new Set([null]))
  await old.call('hooks.import', {
    event: 'transaction.auth',
    url: registered,
    secret: SECRET,
  })
  const areAll = (found: readonly unknown[]) => found.every((cause) => cause === 'passes:once')
  await until(old.client, 'deliveries.changed', causes, areAll)
})
