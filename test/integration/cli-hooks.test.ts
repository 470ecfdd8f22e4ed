/**
 * `hooks …` with Countersign running: the sandbox as the service, and another one.
 * `golden/refused.txt` has the refusals.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { otherHookId, startOtherService, type OtherService } from '../support/other-service.ts'
import { makeTestTls } from '../support/tls.ts'
import { sendDelivery } from '../support/deliver.ts'
import { cliOfFile, type Serving } from './cli-fixture.ts'

const cli = cliOfFile()
const { run, json } = cli

const KEY = 'sk_test_hooks_of_the_line_0123'
const PROGRAM = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001'
const OFFER = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f00ff'

let serving: Serving
let service: OtherService
/** A sandbox program per mode. */
const programs = { test: '', live: '' }

const { run: hooks, json: hooksJson } = cli.given({ command: 'hooks' })
const listed = (...args: string[]) => hooksJson`list ${args}`
const hookOf = async (id: unknown) =>
  (await listed('--include-secrets')).find((hook) => hook['id'] === id)

beforeAll(async () => {
  serving = await cli.serve()
  const tls = await makeTestTls()
  service = await startOtherService(tls, {
    authenticates: (headers) => headers['service-key'] === KEY,
  })
  const ca = join(cli.folder, 'other-ca.pem')
  await writeFile(ca, tls.caPem)
  const account = ['--base-url', service.origin, '--ca', ca, '--key', KEY]
  await run`environments add other --mode test ${account}`
  for (const mode of ['test', 'live'] as const) {
    const [program] = await json`sandbox list program --environment sandbox-${mode}`
    programs[mode] = String(program?.['id'])
  }
})

afterAll(async () => {
  await service.close()
})

describe('in the sandbox', () => {
  test('add registers a URL of the receiver, and the first delivery is valid', async () => {
    const added =
      await cli.runProcess`hooks add --event transaction.auth --program ${programs.test} --json`
    expect(added).toMatchObject({ code: 0, stderr: '' })
    const [hook] = added.json()
    expect(hook).toMatchObject({
      kind: 'program',
      url: expect.stringMatching(
        new RegExp(`^${serving.info.receiver}/h/transaction-auth-[0-9a-f]{8}$`),
      ),
      programId: programs.test,
      environment: 'sandbox-test',
      mode: 'test',
      status: 'active',
    })
    expect(hook?.['remoteId']).not.toBe(hook?.['id'])
    expect((await run`trigger transaction.auth --program ${programs.test}`).text).toContain(
      'acknowledged',
    )
    const [delivery] = await json`deliveries --limit 1`
    expect(delivery).toMatchObject({ verdict: 'valid', hookId: hook?.['id'], path: hook?.['path'] })
  })

  test('add prints the signing secret only on request', async () => {
    const url = `${serving.info.receiver}/h/secret`
    const [hook] =
      await hooksJson`add --event card.linked --program ${programs.test} --url ${url} --header 'X-Team: payments' --include-secrets`
    expect(hook).toMatchObject({ headers: { 'X-Team': 'payments' }, secret: expect.any(String) })
    await sendDelivery(serving.info.ca, { url, body: '{}', secret: String(hook?.['secret']) })
    expect(await json`deliveries --limit 1`).toMatchObject([
      { verdict: 'valid', hookId: hook?.['id'] },
    ])
    const masked = await hooks`list --json`
    expect(masked.text).not.toContain(String(hook?.['secret']))
    expect(masked.text).not.toContain('payments')
  })

  test('the only program is the default; with several, they are listed', async () => {
    const [hook] = (
      await hooks`add --event card.failed --environment sandbox-live --live --json`
    ).json()
    expect(hook).toMatchObject({ kind: 'program', programId: programs.live })
    await hooks`remove ${String(hook?.['id'])} --live`
    expect(
      (await run`sandbox create program --environment sandbox-live --live --set name=Two`).code,
    ).toBe(0)
    const ran = await hooks`add --event card.failed --environment sandbox-live --live`
    expect(ran).toMatchObject({ code: 3, text: '' })
    expect(ran.stderr).toMatch(
      /Found 2 programs in sandbox-live\. Choose one: --program [0-9a-f-]{36} \(.+\), --program .* \(Two\)/,
    )
  })
})

describe('at another service', () => {
  let id: string
  const url = 'https://127.0.0.1:1/in'
  const path = `/v1/hooks/${otherHookId(1)}`

  beforeAll(async () => {
    const added =
      await hooks`add --event transaction.auth.qualified --program ${PROGRAM} --offer ${OFFER} --url ${url} --environment other --header 'X-Team: payments'`
    expect(added.code).toBe(0)
    // Warnings are for people; output is data.
    expect(added.stderr).toMatch(/^Warning: .*spec 2\.1/)
    id = added.text
  })

  test("prints the service's error and the request, with secrets masked", async () => {
    service.interrupt({ status: 422, body: `{ "fault": "no, ${KEY}" }` })
    const ran = await hooks`update ${id} --header 'X-Api: value-of-the-header'`
    expect(ran).toMatchObject({ code: 3, text: '' })
    expect(ran.stderr).toContain('{ "fault": "no, [masked]" }')
    expect(ran.stderr).toContain(`Request: PUT ${service.origin}${path}`)
    expect(ran.stderr).toMatch(/service-key: sk_\[masked\]/)
    expect(ran.stderr).toContain('"X-Api":"[masked]"')
    expect(ran.stderr).not.toContain(KEY)
    expect(ran.stderr).not.toContain('value-of-the-header')
  })

  test('repoint moves hooks under a URL and says which ones stay', async () => {
    const besides = ['--event', 'card.linked', '--program', PROGRAM, '--environment', 'other']
    await hooks`add ${besides} --url ${url}ner/3`
    const [second] = (
      await hooks`add --event card.linked --program ${PROGRAM} --url ${url}/3 --environment other --json`
    ).json()
    service.interrupt({ status: 200, body: '{}' }, { status: 500, body: 'not now' })
    const ran = await hooks`repoint ${url}/ https://127.0.0.1:2/new/ --json`
    expect(ran.code).toBe(3)
    expect(ran.json()).toMatchObject([
      { id, url: 'https://127.0.0.1:2/new', problem: null },
      { id: second?.['id'], url: `${url}/3`, problem: expect.stringContaining('not now') },
    ])
    expect(ran.stderr).toContain('not now')
    expect(ran.stderr.match(/Warning: .*service can't reach/g)).toHaveLength(1)
    expect(await hooks`repoint ${url}/3 https://127.0.0.1:2/new/3`).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^moved .*new\/3/),
    })
    expect(await hooks`repoint https://nobody.example https://x.example`).toMatchObject({
      code: 0,
      text: '',
    })
  })
})

describe('after Countersign has stopped', () => {
  beforeAll(async () => {
    expect(await serving.stop()).toBe(0)
  })

  test('commands that only need the database still work', async () => {
    const [hook] = await listed('--environment', 'sandbox-test')
    const id = String(hook?.['id'])
    expect((await hooks`rotate ${id} --secret rotated-alone-0123`).code).toBe(0)
    expect((await hooks`update ${id} --answer status=500`).code).toBe(0)
    expect(await hookOf(id)).toMatchObject({ secret: 'rotated-alone-0123' })
  })

  test('commands that need the sandbox exit with 3 and say how to start it', async () => {
    const hook = (await listed('--environment', 'sandbox-test')).find(
      ({ status }) => status === 'active',
    )
    const id = String(hook?.['id'])
    for (const args of [
      ['add', '--event', 'brand.consent'],
      ['add', '--event', 'brand.consent', '--url', 'https://127.0.0.1:1/'],
      ['update', id, '--no-headers'],
      ['remove', id],
    ]) {
      const ran = await hooks`${args}`
      expect(ran).toMatchObject({ code: 3, text: '' })
      expect(ran.stderr).toContain('countersign serve')
    }
    expect(await hookOf(id)).toMatchObject({ status: 'active' })
  })

  test('the command calls another service itself', async () => {
    const [hook] =
      await hooksJson`add --event brand.consent --url https://127.0.0.1:1/alone --environment other`
    expect(hook).toMatchObject({ status: 'active', environment: 'other' })
    expect((await hooks`remove ${String(hook?.['id'])}`).code).toBe(0)
  })
})
