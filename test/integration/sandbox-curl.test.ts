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

const run = promisify(execFile)

let folder: string
let sandbox: Sandbox
let program: string

beforeAll(async () => {
  const tls = await makeTestTls()
  folder = temporaryFolder()
  await writeFile(join(folder, 'ca.pem'), tls.caPem)
  sandbox = await startTestSandbox(tls)
  const programs = sandbox.objects.list({ kind: 'program' })
  program = programs.find(({ mode }) => mode === 'test')?.id ?? ''
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
