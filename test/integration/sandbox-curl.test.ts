/** The sandbox from outside, using only curl: the endpoints of section 4, authentication, and their rules. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../src/core/sandbox/sandbox.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { bugs, startTestSandbox } from '../support/test-sandbox.ts'
import { makeTestTls } from '../support/tls.ts'

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>> & {
    error?: { message: string; findings: { rule: string; section: string }[] }
  }
}

const OFFER = '6d7e0d0e-6f1c-4c8e-9f5b-0d6f7f3d9a01'
const run = promisify(execFile)

let folder: string
let sandbox: Sandbox
let program: string
let liveProgram: string

beforeAll(async () => {
  const tls = await makeTestTls()
  folder = temporaryFolder()
  await writeFile(join(folder, 'ca.pem'), tls.caPem)
  sandbox = await startTestSandbox(tls)
  const programs = sandbox.objects.list({ kind: 'program' })
  program = programs.find(({ mode }) => mode === 'test')?.id ?? ''
  liveProgram = programs.find(({ mode }) => mode === 'live')?.id ?? ''
})
afterAll(async () => {
  await sandbox.close()
  expect(bugs).toEqual([])
})

async function curl(
  method: string,
  path: string,
  body?: object,
  headers: readonly string[] = ['service-key: sk_test_1'],
): Promise<Answer> {
  const sent = ['content-type: application/json', ...headers].flatMap((header) => ['-H', header])
  const data = body === undefined ? [] : ['--data', JSON.stringify(body)]
  const args = [
    '-sS',
    '--cacert',
    join(folder, 'ca.pem'),
    '-X',
    method,
    '-w',
    '\n%{http_code}',
    ...sent,
    ...data,
  ]
  const { stdout } = await run('curl', [...args, sandbox.url + path])
  const end = stdout.lastIndexOf('\n')
  return {
    status: Number(stdout.slice(end + 1)),
    body: JSON.parse(stdout.slice(0, end)) as Answer['body'],
  }
}

const url = 'https://hooks.example/in'
const brandHook = { event: 'brand.consent', url }

test('the four endpoints', async () => {
  const brand = await curl('POST', '/v1/hooks', brandHook)
  expect(brand).toMatchObject({
    status: 201,
    body: { programId: null, secretKey: expect.any(String) as string },
  })
  const made = await curl('POST', `/v1/programs/${program}/hooks`, {
    event: 'card.linked',
    url,
    headers: { 'X-Tenant': 'a' },
  })
  expect(made).toMatchObject({
    status: 201,
    body: { programId: program, headers: { 'X-Tenant': 'a' } },
  })
  const path = `/v1/hooks/${String(made.body['id'])}`
  const update = { programId: program, event: 'card.failed', url: `${url}/2`, headers: {} }
  expect(await curl('PUT', path, update)).toMatchObject({ status: 200, body: update })
  expect((await curl('DELETE', path)).status).toBe(200)
  expect((await curl('DELETE', path)).status).toBe(404)
})

test('only the secret key is accepted, and it sees only its own mode', async () => {
  for (const [headers, reason] of [
    [[], /Missing header service-key/],
    [['service-key: pk_test_1'], /public key/],
    [['service-key: sk_test_2'], /Unknown key/],
  ] as const) {
    const { status, body } = await curl('POST', '/v1/hooks', brandHook, headers)
    expect([status, body.error?.message]).toEqual([401, expect.stringMatching(reason)])
  }
  expect(
    (await curl('POST', `/v1/programs/${liveProgram}/hooks`, { event: 'card.linked', url })).status,
  ).toBe(404)
  const live = await curl('POST', '/v1/hooks', brandHook, ['service-key: sk_live_1'])
  expect(live).toMatchObject({ status: 201, body: { live: true } })
  expect((await curl('DELETE', `/v1/hooks/${String(live.body['id'])}`)).status).toBe(404)
})

test('the public key is the client id of the token endpoint', async () => {
  const { body } = await curl(
    'POST',
    '/v2/token',
    { client_id: 'pk_live_1', client_secret: 'sk_live_1' },
    [],
  )
  const made = await curl('POST', '/v1/hooks', brandHook, [
    `Authentication: Bearer ${String(body['access_token'])}`,
  ])
  expect(made).toMatchObject({ status: 201, body: { live: true } })
})

test.each([
  ['event-kind', '4.2', { event: 'brand.consent' }],
  ['offer-event', '4.2', { offerId: OFFER }],
  ['url-https', '2.1', { url: 'http://hooks.example/in' }],
  [
    'headers-count',
    '4.3',
    { headers: Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, '1'])) },
  ],
  ['header-name-length', '4.3', { headers: { ['x'.repeat(65)]: '1' } }],
  ['header-name-characters', '4.3', { headers: { 'x.y': '1' } }],
  ['header-name-blocked', '4.3', { headers: { 'uSeR-aGeNt': '1' } }],
  ['header-value-length', '4.3', { headers: { 'x-a': 'v'.repeat(1_001) } }],
])('a hook that violates %s is rejected with the rule', async (rule, section, change) => {
  const { status, body } = await curl('POST', `/v1/programs/${program}/hooks`, {
    event: 'card.linked',
    url,
    ...change,
  })
  expect(status).toBe(422)
  expect(body.error?.findings).toMatchObject([{ rule, section }])
  expect(body.error?.message).toContain(rule)
})

test('the eleventh URL of an event and program is rejected', async () => {
  const path = `/v1/programs/${program}/hooks`
  for (let index = 1; index <= 10; index++) {
    expect(
      (await curl('POST', path, { event: 'location.status', url: `${url}/${index}` })).status,
    ).toBe(201)
  }
  const { status, body } = await curl('POST', path, { event: 'location.status', url: `${url}/11` })
  expect(status).toBe(422)
  expect(body.error?.findings).toMatchObject([{ rule: 'url-limit', section: '8' }])
})
