/**
 * The handlers of docs/first-handler.md, saved and started as readers do, against signed deliveries, forged ones and the handler
 * check.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileOf } from '../support/doc-pages.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { prepareCli, type Cli } from './cli-fixture.ts'

const SECRET = 'whsec-of-the-first-handler'
const URL_REGISTERED = 'https://hooks.example.test/webhooks?tenant=7'
const BODY = '{"id":"6b35cd5b-583a-4e72-99cd-df50980caf4f","amount":10.00,"name":"Café"}'
const hmac = (data: string, secret = SECRET) =>
  createHmac('sha256', secret).update(data).digest('base64')

interface Request {
  readonly body?: string
  readonly signedBody?: string
  readonly url?: string
  readonly secret?: string
  readonly ageMs?: number
  /** Replaces the correct ones; null omits the header. */
  readonly signature?: string | null
  readonly timestamp?: string | null
  readonly passes?: 1 | 2
}

function headersOf({
  body = BODY,
  signedBody = body,
  ...request
}: Request): Record<string, string> {
  const timestamp = request.timestamp ?? String(Date.now() - (request.ageMs ?? 0))
  const inner = hmac(signedBody + (request.url ?? URL_REGISTERED) + timestamp, request.secret)
  const signature =
    request.passes === 1 ? inner : (request.signature ?? hmac(inner, request.secret))
  return {
    ...(request.signature === null ? {} : { 'x-service-signature': signature }),
    ...(request.timestamp === null ? {} : { 'x-service-timestamp': timestamp }),
  }
}

const cases: readonly (readonly [string, Request, number])[] = [
  ['a valid delivery', {}, 200],
  ['a retry of it with a fresh signature', { ageMs: 60_000 }, 200],
  ['a valid delivery whose body is not JSON', { body: 'not JSON' }, 400],
  ['a valid delivery whose body is a JSON array', { body: '[]' }, 200],
  ['a valid delivery whose body is null', { body: 'null' }, 200],
  ['a changed body', { signedBody: BODY.replace('10.00', '90.00') }, 401],
  [
    'JSON that was parsed and serialized again',
    { signedBody: JSON.stringify(JSON.parse(BODY)) },
    401,
  ],
  ['another secret', { secret: 'another' }, 401],
  ['another URL', { url: `${URL_REGISTERED}/` }, 401],
  ['a single HMAC pass', { passes: 1 }, 401],
  ['a signature that is not ASCII', { signature: 'Ä' }, 401],
  ['no signature', { signature: null }, 401],
  ['no timestamp', { timestamp: null }, 401],
  ['a timestamp that is not a number', { timestamp: 'now' }, 401],
  ['a signature that is ten minutes old', { ageMs: 600_000 }, 401],
  ['a signature from ten minutes in the future', { ageMs: -600_000 }, 401],
]

const languages = [
  ['Node', process.execPath, 'handler.mjs'],
  ['Python', 'python3', 'handler.py'],
] as const
const isMissing = (program: string) => spawnSync(program, ['--version']).status !== 0

const folder = temporaryFolder()
let cli: Cli
beforeAll(async () => {
  cli = await prepareCli()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe.each(languages)('the %s handler', (_name, program, file) => {
  const missing = isMissing(program)
  let child: ChildProcess | null = null
  let endpoint = ''

  beforeAll(async () => {
    if (missing) return
    const port = await freePort()
    writeFileSync(
      join(folder, file),
      fileOf('docs/first-handler.md', file).replaceAll('3000', String(port)),
    )
    const env = { ...process.env, WEBHOOK_SECRET: SECRET, WEBHOOK_URL: URL_REGISTERED }
    child = spawn(program, [join(folder, file)], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    endpoint = `http://127.0.0.1:${port}/webhooks`
    if (child.stdout === null) throw new Error('The handler has no output.')
    await once(createInterface(child.stdout), 'line')
  })
  afterAll(async () => {
    if (child === null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })

  test.for(cases)('%s', async ([_case, request, status], { skip }) => {
    skip(missing, `${program} is not installed here`)
    const { body = BODY } = request
    const response = await fetch(endpoint, { method: 'POST', body, headers: headersOf(request) })
    expect(response.status).toBe(status)
  })

  test('passes the handler check', async ({ skip }) => {
    skip(missing, `${program} is not installed here`)
    const given = [
      '--secret',
      SECRET,
      '--registered-url',
      URL_REGISTERED,
      '--program-status',
      '--rate',
      '200',
    ]
    const ran = await cli.run(['check', endpoint, ...given, '--json'])
    const judged = (ran.json()[0]?.['cases'] ?? []) as {
      readonly name: string
      readonly outcome: string
    }[]
    expect(judged.length).toBeGreaterThan(30)
    expect(judged.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
    expect(ran.code, ran.text).toBe(0)
  })
})
