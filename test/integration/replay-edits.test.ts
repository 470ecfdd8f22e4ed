import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { InputOf } from '../../src/shared/contract/contract.ts'
import type { Hook } from '../../src/shared/model/hook.ts'
import { signatureOf, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import {
  headerOf,
  runReplay,
  startRawEndpoint,
  type RawEndpoint,
  type RawRequest,
} from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'

type Edits = NonNullable<InputOf<'replay.start'>['edits']>

const SECRET = 'whsec_of_the_hook'
const BODY = '{"id":"0b0f7c52","amount":10.00}'
const OTHER = '{"id":"0b0f7c52","amount":99.90, "name":"Café"}\n'
const CAPTURED_AT = '1700000000000'

let core: TestCore
let hook: Hook
let id: string
let endpoint: RawEndpoint
let answer = 200

beforeAll(async () => {
  core = await coreInFolder()
  hook = await core.hook('/h/one', SECRET)
  const headers = signedHeaders(SECRET, BODY, hook.url, CAPTURED_AT)
  await core.send(hook.url, {
    body: BODY,
    headers: [['X-Tenant', 'a'], ...headers, ['x-tenant', 'b'], ['X-Last', '1']],
  })
  id = (await core.latest()).id
  endpoint = await startRawEndpoint(() => answer)
})
afterEach(() => {
  endpoint.requests.splice(0)
  answer = 200
})
afterAll(async () => {
  await endpoint.close()
  expect(core.bugs).toEqual([])
})

const base64 = (text: string) => Buffer.from(text).toString('base64')
const to = () => `${endpoint.origin}/in`
const send = (edits: Edits, more: Partial<InputOf<'replay.start'>> = {}) =>
  runReplay(core.client, { ids: [id], to: to(), edits, ...more })

/**
 * Returns the request with its signature and timestamp replaced by labels, because they change
 * every time.
 */
function described(request: RawRequest | undefined): readonly string[] {
  return (request?.headers ?? []).map((header) =>
    header.replace(/^(x-service-(?:signature|timestamp)): .*$/, (_, name: string) => `${name}: …`),
  )
}

const proofOf = (request: RawRequest | undefined) => ({
  signature: headerOf(request, 'x-service-signature'),
  timestamp: headerOf(request, 'x-service-timestamp'),
})

describe('the request', () => {
  test('has the given method, headers and body, and is signed over that body', async () => {
    const headers: [string, string][] = [
      ['x-tenant', 'b'],
      ['X-Service-Signature', 'whatever'],
      ['X-New', 'caf\u00e9'],
      ['x-tenant', 'b'],
    ]
    await send({ method: 'PUT', headers, base64: base64(OTHER) })
    const [request] = endpoint.requests
    expect(request?.line).toBe('PUT /in HTTP/1.1')
    expect(request?.body.toString()).toBe(OTHER)
    const { signature, timestamp = '' } = proofOf(request)
    expect(signature).toBe(signatureOf(SECRET, OTHER, hook.url, timestamp))
    expect(Math.abs(Number(timestamp) - Date.now())).toBeLessThan(60_000)
    expect(request?.headers).toEqual([
      `host: 127.0.0.1:${endpoint.port}`,
      'connection: close',
      'x-tenant: b',
      `X-Service-Signature: ${signature}`,
      'X-New: caf\u00e9',
      'x-tenant: b',
      `x-service-timestamp: ${timestamp}`,
      `content-length: ${Buffer.byteLength(OTHER)}`,
    ])
  })

  test('has single headers replaced in place, including duplicates, and new ones at the end', async () => {
    await send({
      setHeaders: [
        ['X-TENANT', 'c'],
        ['X-New', '1'],
        ['X-Tenant', 'd'],
      ],
    })
    expect(described(endpoint.requests[0])).toEqual([
      `host: 127.0.0.1:${endpoint.port}`,
      'connection: close',
      'X-TENANT: c',
      'X-Tenant: d',
      'content-type: application/json',
      'x-service-signature: …',
      'x-service-timestamp: …',
      'X-Last: 1',
      'X-New: 1',
      `content-length: ${BODY.length}`,
    ])
  })

  test.each<[string, Edits, (proof: ReturnType<typeof proofOf>) => unknown, unknown]>([
    [
      'keeps the captured signature and time, although the body no longer matches',
      { signature: 'keep', base64: base64(OTHER) },
      ({ signature, timestamp = '' }) => [
        signatureOf(SECRET, BODY, hook.url, timestamp) === signature,
        timestamp,
      ],
      [true, CAPTURED_AT],
    ],
    [
      'omits the signature',
      { signature: 'drop' },
      ({ signature, timestamp }) => [signature, Number(timestamp) > Date.now() - 60_000],
      [undefined, true],
    ],
    [
      'omits it and keeps the time',
      { signature: 'drop', timestamp: 'original' },
      (proof) => proof,
      { timestamp: CAPTURED_AT },
    ],
    [
      'signs over the captured time',
      { timestamp: 'original', base64: base64(OTHER) },
      (proof) => proof,
      {
        timestamp: CAPTURED_AT,
        signature: signatureOf(SECRET, OTHER, 'https://public.example/h', CAPTURED_AT),
      },
    ],
  ])('%s', async (_name, edits, actual, expected) => {
    const { sends } = await send(edits, { registeredUrl: 'https://public.example/h' })
    expect(actual(proofOf(endpoint.requests[0]))).toEqual(expected)
    expect(sends[0]?.registeredUrl).toBe(
      edits.signature === undefined ? 'https://public.example/h' : null,
    )
  })

  test.each<[string, string, Edits, string]>([
    ['a signature', 'X-Service-Signature', {}, 'is re-computed'],
    ['a signature', 'x-service-signature', { signature: 'drop' }, 'is omitted'],
    ['a time', 'X-Service-Timestamp', {}, 'is set when the request is sent'],
    ['a time', 'x-service-timestamp', { signature: 'drop' }, 'is set when the request is sent'],
  ])('accepts %s manually (%s, %j) only if it is sent', async (_what, name, edits, why) => {
    const given = { ...edits, setHeaders: [[name, '1700000000000'] satisfies [string, string]] }
    const refused = {
      code: 'INVALID_INPUT',
      message: expect.stringMatching(new RegExp(`${why}.*--signature keep`)),
    }
    await expect(send(given)).rejects.toMatchObject(refused)
    await expect(core.call('replay.preview', { id, to: to(), edits: given })).rejects.toMatchObject(
      refused,
    )
    expect(endpoint.requests).toEqual([])
    await send({ ...given, signature: 'keep' })
    expect(Object.values(proofOf(endpoint.requests[0]))).toContain('1700000000000')
  })

  test('signs over a timestamp set by the user if it is kept', async () => {
    const time = '1700000000001'
    await send({ setHeaders: [['X-Service-Timestamp', time]], timestamp: 'original' })
    expect(proofOf(endpoint.requests[0])).toEqual({
      timestamp: time,
      signature: signatureOf(SECRET, BODY, hook.url, time),
    })
  })
})

describe('a preview', () => {
  test.each<[string, Edits]>([
    ['as captured', {}],
    ['edited', { method: 'PATCH', setHeaders: [['X-New', '1']], base64: base64(OTHER) }],
    ['with no body', { method: 'DELETE', base64: '' }],
    ['kept', { signature: 'keep' }],
  ])('is the request that would be sent, %s, and nothing is sent', async (_name, edits) => {
    const preview = await core.call('replay.preview', { id, to: to(), edits })
    expect(endpoint.requests).toEqual([])
    await send(edits)
    const [request] = endpoint.requests
    const shown = {
      line: `${preview.method} /in HTTP/1.1`,
      headers: preview.headers.map(([name, value]) => `${name}: ${value}`),
    }
    expect([shown.line, described({ ...shown, body: Buffer.alloc(0) })]).toEqual([
      request?.line,
      described(request),
    ])
    expect(Buffer.from(preview.base64, 'base64').equals(request?.body ?? Buffer.alloc(0))).toBe(
      true,
    )
    expect(preview.signedUrl).toBe(edits.signature === 'keep' ? null : hook.url)
  })

  test("withholds a live secret's signature, whichever hook has it", async () => {
    const live = { environment: 'sandbox-live', live: true }
    const url = 'https://hooks.example/live'
    for (const more of [live, {}]) {
      const { id: hookId } = await core.hook('/h/live', 'whsec_live', { url, ...more })
      const { headers } = await core.call('replay.preview', { id, to: to(), hookId })
      expect(new Map(headers).get('x-service-signature')).toBe('(signed when sent)')
    }
  })

  test('says why nothing can be sent', async () => {
    await core.send(`${core.receiver}/nobody`, { body: 'x', headers: [] })
    const input = { id: 'latest', to: to() }
    await expect(core.call('replay.preview', input)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('No hook matches this delivery'),
    })
    expect(
      (await core.call('replay.preview', { ...input, edits: { signature: 'drop' } })).signedUrl,
    ).toBe(null)
  })
})

describe('the stored send', () => {
  test('is the request actually sent, with its changes', async () => {
    const { sends } = await send({
      method: 'PUT',
      setHeaders: [['X-New', '1']],
      base64: base64(OTHER),
      timestamp: 'original',
    })
    expect(sends[0]?.edited).toEqual(['method', 'headers', 'body', 'timestamp'])
    const { request } = await core.call('replay.send', { id: sends[0]?.id ?? '' })
    const [got] = endpoint.requests
    const ofClient = /^(host|connection|content-length): /
    expect(request?.headers.map(([name, value]) => `${name}: ${value}`)).toEqual(
      got?.headers.filter((header) => !ofClient.test(header)),
    )
    expect([
      request?.method,
      Buffer.from(request?.base64 ?? '', 'base64').toString(),
      request?.truncated,
    ]).toEqual(['PUT', OTHER, false])
  })

  test('is compared with the previous send with the same changes', async () => {
    const fixed = { base64: base64('{"fixed":1}') }
    const outcomes: unknown[] = []
    for (const [edits, status] of [
      [fixed, 500],
      [fixed, 200],
      [{ base64: base64('{"fixed":2}') }, 200],
      [{ ...fixed, method: 'PUT' }, 200],
      [fixed, 500],
    ] as const) {
      answer = status
      outcomes.push((await send(edits, { to: `${to()}/outcome` })).sends[0]?.outcome)
    }
    expect(outcomes).toEqual(['failed', 'fixed', 'passed', 'passed', 'regressed'])
  })

  test('passes if it is forged and rejected with a 4xx; anything else fails', async () => {
    const forged = async (
      status: number,
      more: Parameters<typeof send>[1] = { tamper: 'secret' },
      edits: Parameters<typeof send>[0] = {},
    ) => {
      answer = status
      const { sends, replay } = await send(edits, { to: `${to()}/forged`, ...more })
      return [sends[0]?.outcome, replay.passed, replay.failed, replay.fixed, replay.regressed]
    }
    const results: unknown[] = []
    for (const status of [401, 422, 200, 500, 302, 204, 400]) results.push(await forged(status))
    expect(results).toEqual([
      ['passed', 1, 0, 0, 0],
      ['still-passing', 1, 0, 0, 0],
      ['regressed', 0, 1, 0, 1],
      ['still-failing', 0, 1, 0, 0],
      ['still-failing', 0, 1, 0, 0],
      ['still-failing', 0, 1, 0, 0],
      ['fixed', 1, 0, 1, 0],
    ])
    expect(await forged(401, {}, { signature: 'drop' })).toEqual(['passed', 1, 0, 0, 0])
  })

  test('says whether the endpoint accepts the valid delivery, without which a rejected forgery proves nothing', async () => {
    const compared = { to: `${to()}/compared` }
    const validPassed = async () =>
      (await send({}, { ...compared, tamper: 'secret' })).sends[0]?.validPassed
    expect(await validPassed()).toBe(null)
    for (const status of [401, 200]) {
      answer = status
      await send({}, compared)
      expect(await validPassed()).toBe(status === 200)
    }
  })
})

describe('several sends', () => {
  test('go in rounds, each recorded separately, and failed ones can be selected', async () => {
    const { replay, sends } = await send({}, { ids: [id, id], repeat: 3, to: `${to()}/repeat` })
    expect([replay.total, replay.repeat, replay.passed, sends.length]).toEqual([6, 3, 6, 6])
    answer = 500
    const failed = await send({}, { repeat: 2, to: `${to()}/repeat` })
    const show = async (what: 'failed' | 'regressed' | 'fixed') =>
      (await core.call('replay.sends', { replayId: failed.replay.id, show: what })).sends.length
    expect([await show('failed'), await show('regressed'), await show('fixed')]).toEqual([2, 1, 0])
  })

  test('over the allowed count are rejected, and nothing is sent', async () => {
    await expect(send({}, { repeat: 30, most: 25 })).rejects.toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      details: { count: 30 },
    })
    expect(endpoint.requests).toEqual([])
    expect((await send({}, { repeat: 30, most: 30 })).replay.total).toBe(30)
  })
})

test.each<[string, Partial<InputOf<'replay.start'>>]>([
  ['a method of two words', { edits: { method: 'GET /' } }],
  ['CONNECT', { edits: { method: 'connect' } }],
  ['a header of the connection', { edits: { setHeaders: [['Host', 'x']] } }],
  ['a header with a line break', { edits: { headers: [['X-A', 'a\r\nb']] } }],
  ['a header beyond Latin-1', { edits: { headers: [['X-A', '→']] } }],
  ['a header without a name', { edits: { setHeaders: [['', 'a']] } }],
  ["a body that isn't Base64", { edits: { base64: '*' } }],
  ['tampering with a kept signature', { tamper: 'stale', edits: { signature: 'keep' } }],
  ['two timestamps', { tamper: 'future', edits: { timestamp: 'original' } }],
])('%s is rejected before anything is recorded', async (_name, input) => {
  const { replays: before } = await core.call('replay.list', {})
  await expect(core.call('replay.start', { ids: [id], to: to(), ...input })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect((await core.call('replay.list', {})).replays).toEqual(before)
})
