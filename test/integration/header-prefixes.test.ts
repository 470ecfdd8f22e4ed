/**
 * Which header names sign, for everything that signs: the table in docs/handlers.md is made by
 * running each of them. `-u` rewrites it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signingPrefix } from '../../src/shared/service/header-names.ts'
import { replayCurl, signedCurl } from '../../src/shared/snippets/curl.ts'
import { signedHeaders } from '../support/deliver.ts'
import { expectPage, table, withPart } from '../support/docs-tables.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { runReplay, startRawEndpoint, type RawEndpoint } from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'
import { flowEnd, until } from '../support/until.ts'
/**
 * A handler with a hook of an account, one with its own secret and prefix, and one with a secret
 * only.
 */
const HANDLERS = ['hooked', 'own', 'default'] as const
type Name = (typeof HANDLERS)[number]
const PREFIX_OF: Record<Name, string> = { hooked: 'acme', own: 'globex', default: 'initech' }
const SANDBOX = 'hooli'
const PAGE = join(process.cwd(), 'docs/handlers.md')
const SECRET = 'whsec_of_the_hook_0123456789'
const BODY = '{"amount":36.9,"currency":"GBP"}'

let core: TestCore
let endpoint: RawEndpoint
let capturedId: string
let hookId: string
const to = (name: Name) => `${endpoint.origin}/${name}`

/**
 * Returns the prefixes of the signature headers in the requests for a handler since the last call.
 */
function seen(name: string): string[] {
  const its = endpoint.requests.splice(0).filter(({ line }) => line.includes(`/${name} `))
  const prefixes = its.flatMap(({ headers }) =>
    headers.flatMap((header) => /^x-(.+)-signature: /i.exec(header)?.[1] ?? []),
  )
  return [...new Set(prefixes)]
}

const namesIn = (command: string) => [
  ...new Set(Array.from(command.matchAll(/x-([a-z]+)-signature/g), ([, prefix]) => prefix ?? '')),
]

async function deliver(): Promise<void> {
  const url = `${core.receiver}/h/captured`
  await core.deliver({ url, secret: SECRET }, BODY)
}

async function runFlow(flow: string, handler: Name): Promise<string[]> {
  const { run } = await core.call('flows.start', {
    name: flow,
    handler: { url: `@${handler}` },
    live: true,
  })
  await flowEnd(core.client, run.id)
  return seen(handler)
}

beforeAll(async () => {
  core = await coreInFolder()
  // A shrink needs a failure.
  endpoint = await startRawEndpoint(({ headers }) =>
    headers.some((header) => header.startsWith('x-fail')) ? 500 : 200,
  )
  const { client } = core
  const account = {
    mode: 'test',
    baseUrl: 'https://127.0.0.1:1',
    key: 'sk_test_0123456789',
  } as const
  await client.call('environments.add', { ...account, name: 'account', prefix: PREFIX_OF.hooked })
  await client.call('environments.add', { ...account, name: 'now', prefix: PREFIX_OF.default })
  await client.call('environments.use', { name: 'now' })
  const event = 'transaction.auth'
  const url = `${core.receiver}/h/captured`
  await client.call('hooks.import', { event, url, secret: SECRET, environment: 'sandbox-test' })
  await deliver()
  capturedId = (await client.call('deliveries.get', { id: 'latest' })).id
  const hook = {
    event,
    url: 'https://hooks.example/in',
    secret: 'whsec_acme',
    environment: 'account',
  }
  hookId = (await client.call('hooks.import', hook)).id
  const secret = 'whsec_of_a_handler'
  await client.call('handlers.add', { name: 'hooked', url: to('hooked'), hookId })
  await client.call('handlers.add', { name: 'own', url: to('own'), secret, prefix: PREFIX_OF.own })
  await client.call('handlers.add', { name: 'default', url: to('default'), secret })
})
afterAll(async () => {
  await endpoint.close()
  expect(core.bugs).toEqual([])
})

/** Each way to sign, as the page names it: the prefixes that it used for a handler. */
const ways: Readonly<Record<string, (name: Name) => Promise<string[]>>> = {
  async '`check`'(name) {
    await core.call('check.start', { target: `@${name}`, only: ['first-delivery'] })
    await expect.poll(() => endpoint.requests.length).toBeGreaterThan(0)
    return seen(name)
  },
  '`flow run --handler`': (name) => runFlow('card-linked', name),
  async '`replay`'(name) {
    await runReplay(core.client, { ids: [capturedId], to: `@${name}` })
    return seen(name)
  },
  async '`forward`'(name) {
    const { target } = await core.call('forward.add', { url: `@${name}` })
    await deliver()
    await expect.poll(() => endpoint.requests.length).toBeGreaterThan(0)
    await core.call('forward.remove', { id: target.id })
    return seen(name)
  },
  async '`shrink`'(name) {
    const { run } = await core.call('shrink.start', { id: capturedId, to: `@${name}` })
    const read = async () => (await core.call('shrink.get', { runId: run.id })).run
    await until(core.client, 'shrink.changed', read, ({ outcome }) => outcome !== null)
    return seen(name)
  },
  async 'Copy as cURL'(name) {
    const preview = await core.call('replay.preview', { id: capturedId, to: `@${name}` })
    const { headers, method, target, signedUrl } = preview
    const options = { timestamp: null, secret: null, options: [], body: Buffer.from(BODY) }
    const prefixes = [...Object.values(PREFIX_OF), SANDBOX]
    return namesIn(replayCurl({ headers, method, target, signedUrl, prefixes, ...options }))
  },
}

test('everything that signs uses the header names in the table', async () => {
  const rows: string[][] = []
  const cell = (prefixes: readonly string[]) => prefixes.map((prefix) => `\`${prefix}\``).join(', ')
  for (const [way, run] of Object.entries(ways)) {
    const row = [way]
    for (const name of HANDLERS) row.push(cell(await run(name)))
    rows.push(row)
  }
  await runReplay(core.client, { ids: [capturedId], to: to('own'), hookId })
  rows.push(['`replay --hook`, `shrink --hook`', cell(seen('own')), '', ''])

  const { client } = core
  await client.call('environments.update', { name: 'sandbox-test', prefix: SANDBOX })
  await client.call('sandbox.trigger', { event: 'transaction.auth', environment: 'sandbox-test' })
  const { headers } = await client.call('deliveries.get', { id: 'latest' })
  const triggered = cell(namesIn(headers.map(([name]) => name).join(' ')))
  rows.push(['`trigger`, flows, other sandbox deliveries', triggered, '', ''])

  const { environments } = await client.call('environments.list', {})
  const environmentOf = (name?: string) =>
    environments.find((one) => (name === undefined ? one.current : one.name === name))
  const firstRun = (hook: { environment: string } | undefined) => {
    const prefix = signingPrefix(environmentOf, { hook })
    return cell(namesIn(signedCurl({ url: 'u', caFile: 'c', secret: 's', prefix })))
  }
  rows.push([
    'The first request to copy',
    firstRun({ environment: 'account' }),
    '',
    firstRun(undefined),
  ])
  const head = ['Signed by', 'With a hook', 'Handler with `--prefix`', 'Neither']
  await expectPage(PAGE, withPart(readFileSync(PAGE, 'utf8'), 'prefixes', table(head, rows)))
})

test('a prefix that no environment uses is named; once it is set, stored deliveries are judged again', async () => {
  const { client } = core
  const url = `${core.receiver}/h/late`
  const secret = 'whsec_late'
  const hook = { event: 'card.linked', url, secret, environment: 'now' }
  const { id: lateHook } = await client.call('hooks.import', hook)
  const renamed = (text: string) => text.replace('x-service', 'X-Umbrella')
  const send = async (signedUrl: string) => {
    const headers = signedHeaders(secret, BODY, signedUrl).map(
      ([name, value]): [string, string] => [renamed(name), value],
    )
    await core.send(url, { body: BODY, headers })
    return (await client.call('deliveries.get', { id: 'latest' })).id
  }
  const [valid, forged] = [await send(url), await send(`${url}/`)]
  const explain = async (id: string) => client.call('deliveries.signature', { id })
  expect(await explain(valid)).toMatchObject({
    verdict: 'unsigned',
    unknownPrefix: { prefix: 'umbrella', environment: 'now', mode: 'test' },
  })
  await client.call('environments.update', { name: 'now', prefix: 'Umbrella' })
  const at = { judgedAt: expect.any(String), hookId: lateHook, environment: 'now' }
  expect(await client.call('deliveries.get', { id: valid })).toMatchObject({
    ...at,
    verdict: 'valid',
    freshness: 'fresh',
    event: 'card.linked',
    eventSource: 'hook',
  })
  expect(await client.call('deliveries.get', { id: forged })).toMatchObject({
    ...at,
    verdict: 'invalid',
  })
  expect(await explain(valid)).toMatchObject({ verdict: 'valid', unknownPrefix: null })
  expect((await explain(forged)).diagnosis?.causes).toEqual(['url:trailing-slash'])
})
