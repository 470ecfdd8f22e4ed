/**
 * Promise 14: an imported file is a claim. Nothing in it is shown as verified here, uses a secret,
 * or decides what a send needs. Signatures with a known hook's secret are verified here.
 */
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { deliverOnce, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { findPlanted, plant } from '../support/planted-secrets.ts'
import type { TestCore } from '../support/test-core.ts'
import { exported, imported } from '../support/export-import.ts'
import { ownId } from '../support/id-of-name.ts'

const SECRET = plant('whsec-of-a-live-hook-')
const OTHER = plant('whsec-of-a-colleague-')
const URL_HERE = 'https://example.com/webhooks'
const BODY = '{"amount":10.00}'

let app: TestCore
/** An exported line of the first delivery that the app received. */
let sample: Record<string, unknown>
let hookId: string
let made = 0

/** Returns a crafted line: the sample with some parts replaced. */
function lineOf(
  change: Record<string, unknown>,
  body = BODY,
): { readonly id: string; readonly line: string } {
  const id = ownId(`crafted ${made++}`)
  const bytes = Buffer.from(body)
  const whole = {
    body: bytes.toString('base64'),
    bodySize: bytes.length,
    bodySha256: createHash('sha256').update(bytes).digest('hex'),
  }
  return { id, line: JSON.stringify({ ...sample, hookId: null, ...whole, id, ...change }) }
}

async function take(change: Record<string, unknown>, body?: string) {
  const { id, line } = lineOf(change, body)
  expect(await imported(app.client, line)).toMatchObject({ imported: 1, refused: 0 })
  return app.call('deliveries.get', { id })
}

beforeAll(async () => {
  app = await coreInFolder()
  await app.call('environments.add', {
    name: 'prod',
    mode: 'live',
    baseUrl: 'https://api.example.com',
    key: 'sk',
  })
  const hook = {
    event: 'transaction.auth',
    url: URL_HERE,
    secret: SECRET,
    environment: 'prod',
    live: true,
  }
  hookId = (await app.call('hooks.import', hook)).id
  await deliverOnce(app.caFile, `${app.receiver}/any`, BODY)
  sample = JSON.parse(await exported(app.client)) as Record<string, unknown>
})

const verdictOfFile = {
  verdict: 'valid',
  freshness: 'fresh',
  event: 'transaction.auth',
  eventSource: 'hook',
}

test('an event that the file inferred from the body is inferred again from the body', async () => {
  const claimed = {
    event: 'transaction.refund',
    eventSource: 'payload',
    eventCandidates: [],
    hookId: null,
    headers: [],
  }
  expect(await take(claimed, '{"hello":"world"}')).toMatchObject({ event: null, eventSource: null })
})

describe("a file's verdict is shown as a claim", () => {
  const claims = {
    'no signature': { headers: [] },
    'no hook here': { headers: signedHeaders(OTHER, BODY, URL_HERE) },
    'the id of a hook here': { headers: [], hookId: 'HOOK' },
    'the id of a hook here, and a signature with another secret': {
      headers: signedHeaders(OTHER, BODY, URL_HERE),
      hookId: 'HOOK',
    },
    'the environment and mode of a hook here': { headers: [], environment: 'prod', mode: 'test' },
    'its path': { headers: signedHeaders(OTHER, BODY, URL_HERE), path: '/webhooks' },
    'a body that was cut off': {
      headers: signedHeaders(SECRET, BODY, URL_HERE),
      truncated: true,
      bodySize: BODY.length + 1,
    },
    'differing signatures': {
      headers: [...signedHeaders(SECRET, BODY, URL_HERE), ['x-service-signature', 'another']],
    },
  }
  test.each(Object.entries(claims))('%s', async (_, claim) => {
    const change = { ...verdictOfFile, ...claim }
    const delivery = await take('hookId' in change ? { ...change, hookId } : change)
    expect(delivery).toMatchObject({
      origin: 'imported',
      verdict: 'valid',
      verifiedHere: false,
      hookId: null,
    })
    const report = await app.call('deliveries.signature', { id: delivery.id })
    expect(report).toMatchObject({ verifiedHere: false, expected: null, secretHint: null })
    const again = await app.call('deliveries.diagnose', { id: delivery.id })
    expect(again.report.verdict).not.toBe('unknown-hook')
    expect(again.report).not.toMatchObject({ verdict: 'valid', verifiedHere: true })
  })

  test('and proves nothing about a purchase', async () => {
    const { id } = await take(
      { ...verdictOfFile, headers: [] },
      '{"id":"t1","amount":10.00,"auth":true}',
    )
    const story = JSON.stringify(await app.call('lifecycle.get', { deliveryId: id }))
    expect(story).toContain('"isProved":false')
    expect(story).not.toContain('"isProved":true')
  })
})

test("a file that names a hook can't use its secret", async () => {
  const { id } = await take({ ...verdictOfFile, headers: [], hookId, mode: 'test' })
  const script = await exported(app.client, { ids: [id], format: 'curl' })
  expect(findPlanted([SECRET], Buffer.from(script))).toEqual([])
  expect(script).not.toContain('openssl')
  const preview = app.call('replay.preview', { id, to: 'https://127.0.0.1:9/handler' })
  await expect(preview).rejects.toThrow('--hook')
})

test("a signature of a known hook is verified here, with the file's freshness", async () => {
  const headers = signedHeaders(SECRET, BODY, URL_HERE)
  const delivery = await take({
    verdict: 'unknown-hook',
    freshness: 'stale',
    event: null,
    eventSource: null,
    headers,
  })
  expect(delivery).toMatchObject({
    ...{ origin: 'imported', verdict: 'valid', verifiedHere: true, freshness: 'stale', hookId },
    ...{ event: 'transaction.auth', eventSource: 'hook', environment: 'prod', mode: 'live' },
  })
})

test('imported deliveries are matched to a hook imported later, by their signature', async () => {
  const url = 'https://example.com/later'
  const secret = plant('whsec-imported-later-')
  const signed = await take({
    ...verdictOfFile,
    event: null,
    eventSource: null,
    headers: signedHeaders(secret, BODY, url),
  })
  const forged = await take({ ...verdictOfFile, headers: signedHeaders(OTHER, BODY, url) })
  expect(signed).toMatchObject({ verifiedHere: false, hookId: null })
  const hook = await app.call('hooks.import', { event: 'card.linked', url, secret })
  const found = await app.call('deliveries.get', { id: signed.id })
  expect(found).toMatchObject({
    verdict: 'valid',
    verifiedHere: true,
    hookId: hook.id,
    event: 'card.linked',
    mode: 'test',
  })
  expect(await app.call('deliveries.get', { id: forged.id })).toMatchObject({
    verifiedHere: false,
    hookId: null,
  })
  for (const query of [`hook:${hook.id}`, 'event:card.linked']) {
    // The search index catches up later, without an event.
    await expect
      .poll(async () => (await app.call('deliveries.list', { query })).items.map(({ id }) => id))
      .toEqual([signed.id])
  }
  const { report } = await app.call('deliveries.diagnose', { id: signed.id })
  expect(report).toMatchObject({ verdict: 'valid', verifiedHere: true, hookId: hook.id })
})

test('so are they by a previous secret, and by a secret added in a rotation', async () => {
  const url = 'https://example.com/rotated'
  const [first, second] = [plant('whsec-first-'), plant('whsec-second-')]
  const early = await take({ ...verdictOfFile, headers: signedHeaders(first, BODY, url) })
  const late = await take({ ...verdictOfFile, headers: signedHeaders(second, BODY, url) })
  const hook = await app.call('hooks.import', { event: 'card.linked', url, secret: first })
  const proved = async () =>
    Promise.all(
      [early, late].map(async ({ id }) => (await app.call('deliveries.get', { id })).verifiedHere),
    )
  expect(await proved()).toEqual([true, false])
  await app.call('hooks.rotate', { id: hook.id, secret: second })
  expect(await proved()).toEqual([true, true])
})

test('a delivery that was left unverified is verified by "Verify again"', async () => {
  const own = await coreInFolder()
  const url = 'https://example.com/own'
  const { id, line } = lineOf({ ...verdictOfFile, headers: signedHeaders(OTHER, BODY, url) })
  await own.call('hooks.import', { event: 'card.linked', url, secret: OTHER })
  await imported(own.client, line)
  await own.stop()
  // The state of a process that ended while it judged.
  const { openForWriting } = await import('../../src/core/store/open.ts')
  const { databaseFileOf } = await import('../../src/core/store/database.ts')
  const db = openForWriting(databaseFileOf(own.dataFolder))
  db.exec('UPDATE deliveries SET verified_here = 0, hook_id = NULL')
  db.close()
  const next = await coreInFolder({ dataFolder: own.dataFolder })
  const { report } = await next.call('deliveries.diagnose', { id })
  expect(report).toMatchObject({ verdict: 'valid', verifiedHere: true })
  expect(await next.call('deliveries.get', { id })).toMatchObject({ verifiedHere: true })
  expect(next.bugs).toEqual([])
})

const long = 'x'.repeat(2_001)
test.each<[string, Record<string, unknown>]>([
  ['bodySha256', { bodySha256: 'a'.repeat(64) }],
  ['bodySize', { bodySize: 3 }],
  ['bodySize', { bodySize: 2 ** 53, truncated: true }],
  ['bodySize', { bodySize: 3, truncated: true }],
  ['answer.status', { answer: { status: 99, ms: 1 } }],
  ['answer.status', { answer: { status: 600, ms: 1 } }],
  ['answer.ms', { answer: { status: 200, ms: -1 } }],
  ['note', { note: long }],
  ['event', { event: 'x'.repeat(201) }],
  ['environment', { environment: long }],
  ['hookId', { hookId: long }],
  ['path', { path: `/${'x'.repeat(131_072)}` }],
  ['headers', { headers: Array.from({ length: 30_000 }, () => ['x-a', 'b']) }],
  ['malformed.reason', { malformed: { reason: long } }],
  ['eventCandidates', { eventCandidates: Array.from({ length: 101 }, () => 'card.linked') }],
  ['attempt', { attempt: 0 }],
  ['remote', { remote: long }],
])('a line that no receiver can have written is rejected for its %s', async (field, change) => {
  const { id, line } = lineOf({ headers: [], ...change })
  const outcome = await imported(app.client, `\n${line}`)
  expect(outcome).toMatchObject({ imported: 0, refused: 1, problems: [{ line: 2 }] })
  expect(outcome.problems[0]?.reason).toContain(field)
  await expect(app.call('deliveries.get', { id })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})

test('no internal error occurred', () => {
  expect(app.bugs).toEqual([])
})
