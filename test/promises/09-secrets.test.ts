/**
 * Promise 9: secrets are neither stored nor sent in clear. More than forty are planted through real
 * flows (typed in, returned by a service, requested with credentials), including failures, and then
 * searched for, in clear and encoded, in every file of the data folder and every message to a
 * window.
 */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFileLog } from '../../src/core/app/file-log.ts'
import type { InputOf, OutputOf } from '../../src/shared/contract/contract.ts'
import { AppError } from '../../src/shared/contract/errors.ts'
import { createMemoryPair } from '../../src/shared/rpc/memory-pair.ts'
import type { ToCore } from '../../src/shared/rpc/messages.ts'
import { RpcClient, type Client } from '../../src/shared/rpc/client.ts'
import { signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { startOtherService, type OtherService } from '../support/other-service.ts'
import { filesBelow, findPlanted, plant, plantedBelow } from '../support/planted-secrets.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { TestCore } from '../support/test-core.ts'
import { makeTestTls } from '../support/tls.ts'

const PROGRAM = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001'
/** Control text that isn't hidden anywhere: the search must find it. */
const CONTROL = plant('control-')

const hookSecrets = {
  registered: Array.from({ length: 6 }, () => plant('whsec-registered-')),
  renewed: Array.from({ length: 2 }, () => plant('whsec-renewed-')),
  imported: Array.from({ length: 3 }, () => plant('whsec-imported-')),
  rotated: Array.from({ length: 3 }, () => plant('whsec-rotated-')),
  refused: Array.from({ length: 2 }, () => plant('whsec-refused-')),
}
const keys = {
  right: plant('sk_test_right_'),
  changed: plant('sk_test_changed_'),
  wrong: plant('sk_test_wrong_'),
  live: plant('sk_live_'),
  public: plant('pk_test_'),
  unusable: `${plant('sk_test_unusable_')} x`,
  misplaced: plant('sk_test_misplaced_'),
}
const clientSecrets = {
  right: plant('client-right-'),
  wrong: plant('client-wrong-'),
  refused: plant('client-refused-'),
}
const tokens = {
  access: Array.from({ length: 8 }, () => plant('access-')),
  refresh: Array.from({ length: 6 }, () => plant('refresh-')),
}
const planted = [
  ...Object.values(hookSecrets).flat(),
  ...Object.values(keys),
  ...Object.values(clientSecrets),
  ...Object.values(tokens).flat(),
]

let folder: string
let app: TestCore
let service: OtherService
/** A window's connection, with everything sent to it except answers to explicit requests. */
let client: Client
const messages: string[] = []
const revealed: string[] = []
/**
 * Texts sent to or from the service, and everything typed in. A secret that isn't in any of these
 * proves nothing.
 */
const seen: string[] = []
const failures: AppError[] = []

const fileLog = () =>
  createFileLog({ dataFolder: folder, randomBytes: (size) => randomBytes(size) })

function connectWindow(): void {
  const { client: near, core: far } = createMemoryPair()
  app.core.connect(far)
  const askedFor = new Set<number>()
  near.onMessage((text) => {
    const message = JSON.parse(text) as { kind: string; id?: number }
    if (message.kind === 'response' && askedFor.has(message.id ?? 0)) revealed.push(text)
    else messages.push(text)
  })
  client = new RpcClient({
    ...near,
    send(text) {
      const message = JSON.parse(text) as ToCore
      if (message.kind === 'request') {
        seen.push(text)
        const { includeSecrets } = message.input as { includeSecrets?: boolean }
        if (message.command === 'hooks.reveal' || includeSecrets === true) askedFor.add(message.id)
      }
      near.send(text)
    },
  })
}

async function fails(call: Promise<unknown>): Promise<void> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(AppError)
  if (error instanceof AppError) failures.push(error)
}

const answer = (status: number, body: unknown) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  seen.push(text)
  service.interrupt({ status, body: text })
}

let count = 0
function add(
  environment: string,
  more: Partial<InputOf<'hooks.add'>> = {},
): Promise<OutputOf<'hooks.add'>> {
  const url = `${app.receiver}/h/planted-${++count}`
  return client.call('hooks.add', {
    event: 'transaction.auth',
    url,
    programId: PROGRAM,
    environment,
    ...more,
  })
}

beforeAll(async () => {
  folder = temporaryFolder()
  const tls = await makeTestTls()
  let made = 0
  let renewed = 0
  let issued = 0
  const known = () => new Set([keys.right, keys.changed, keys.live])
  service = await startOtherService(tls, {
    authenticates: (headers) =>
      known().has(headers['service-key'] ?? '') ||
      tokens.access.includes(headers['authentication']?.slice(7) ?? ''),
    secret: () => hookSecrets.registered[made++ % hookSecrets.registered.length] ?? '',
    // Repeats the secret in an unexpected place, and tokens in a record.
    record: ({ id, url, secret }) => {
      const record = {
        hook: { id, url, note: `use ${secret}` },
        credentials: { secretKey: secret, token: tokens.access[7] },
      }
      seen.push(JSON.stringify(record))
      return record
    },
    changed: ({ id }) => {
      const record = { id, secretKey: hookSecrets.renewed[renewed++ % hookSecrets.renewed.length] }
      seen.push(JSON.stringify(record))
      return record
    },
    token: ({ client_secret: secret, refresh_token: refresh }) => {
      const respond = (status: number, body: unknown) => {
        seen.push(JSON.stringify(body))
        return { status, body }
      }
      if (refresh === tokens.refresh[4])
        return respond(400, { fault: `The token ${String(refresh)} has ended` })
      if (secret !== clientSecrets.right)
        return respond(403, { fault: `unknown: ${String(secret)}`, client_secret: secret })
      const nth = issued++
      return respond(200, {
        access_token: tokens.access[nth % 7],
        refresh_token: tokens.refresh[nth % 6],
        expires_in: 0,
      })
    },
  })
  app = await coreInFolder({
    dataFolder: folder,
    deps: { log: fileLog() },
  })
  connectWindow()
  const account = { baseUrl: service.origin, caPem: tls.caPem }
  const environment = (name: string, more: Partial<InputOf<'environments.add'>>) =>
    client.call('environments.add', { name, mode: 'test', ...account, ...more })

  // Keys: accepted, changed, rejected by a rule, rejected by the service, entered in the wrong
  // field.
  await environment('right', { key: keys.right })
  await environment('production', { mode: 'live', key: keys.live })
  await environment('wrong', { key: keys.wrong })
  await fails(environment('public', { key: keys.public }))
  await fails(environment('unusable', { key: keys.unusable }))
  await fails(environment('misplaced', { key: keys.misplaced, timeoutMs: -1 }))
  await environment('bearer', {
    auth: 'bearer',
    clientId: 'c',
    clientSecret: clientSecrets.right,
    tokenUrl: `${service.origin}/oauth/token`,
  })
  await environment('refused', {
    auth: 'bearer',
    clientId: 'c',
    clientSecret: clientSecrets.wrong,
    tokenUrl: `${service.origin}/oauth/token`,
  })
  await fails(
    environment('untold', {
      auth: 'bearer',
      clientId: 'c',
      clientSecret: clientSecrets.refused,
      tokenUrl: 'no url',
    }),
  )

  // Hooks: registered, changed, rejected, without a response, imported, rotated, deleted.
  const hooks = []
  for (let index = 0; index < 6; index++) hooks.push((await add('right')).hook)
  await client.call('environments.update', { name: 'right', key: keys.changed })
  for (const hook of hooks.slice(0, 2))
    await client.call('hooks.update', { id: hook.id, headers: { 'X-A': '1' } })
  await client.call('hooks.remove', { id: hooks[5]?.id ?? '' })
  await add('production', { live: true })
  await fails(add('production'))
  await fails(add('wrong'))
  for (const body of [
    `The key ${keys.wrong} is not known`,
    { fault: { key: keys.wrong, deep: [`see ${keys.wrong}`] } },
  ]) {
    answer(401, body)
    await fails(add('wrong'))
  }
  answer(422, {
    error: 'half made',
    hook: { secretKey: hookSecrets.refused[0] },
    why: `with ${hookSecrets.refused[0]}`,
  })
  await fails(add('right'))
  answer(500, `<pre>{"secretKey": ${JSON.stringify(hookSecrets.refused[0])}, "at": "line`)
  await fails(add('right'))
  service.interrupt('hang', 'drop')
  await client.call('environments.update', { name: 'right', timeoutMs: 300 })
  await fails(add('right'))
  await client.call('environments.update', { name: 'right', timeoutMs: 30_000 })
  await fails(add('right'))
  for (const [index, secret] of hookSecrets.imported.entries()) {
    const url = `${app.receiver}/h/imported-${index}`
    const hook = await client.call('hooks.import', {
      event: 'card.linked',
      url,
      secret,
      environment: 'right',
    })
    await client.call('hooks.rotate', { id: hook.id, secret: hookSecrets.rotated[index] ?? '' })
    await client.call('hooks.reveal', { id: hook.id })
  }
  await fails(
    client.call('hooks.import', {
      event: 'card.linked',
      url: 'http://x',
      secret: hookSecrets.refused[1] ?? '',
    }),
  )
  await fails(client.call('hooks.rotate', { id: 'nobody', secret: hookSecrets.refused[1] ?? '' }))

  // Tokens: each expires immediately, so that every call requests the next, with refresh tokens
  // that work and one that doesn't.
  for (let index = 0; index < 9; index++)
    await add('bearer', {
      url: `${app.receiver}/h/bearer-${index}`,
      programId: PROGRAM.replace('0001', `000${index}`),
    })
  answer(401, { fault: `no: ${tokens.access[0]}` })
  await add('bearer', { event: 'card.failed' })
  await fails(add('refused'))
  for (const name of ['right', 'wrong', 'bearer', 'refused', 'sandbox-test'])
    await client.call('environments.check', { name })

  // The sandbox, with its own keys and secrets.
  await client.call('sandbox.sample', {})

  // Valid and invalid deliveries for these hooks, and their reports.
  for (const [index, secret] of [
    hookSecrets.imported[0],
    hookSecrets.rotated[0],
    hookSecrets.rotated[1],
    'nobody',
  ].entries()) {
    const url = `${app.receiver}/h/imported-0`
    const body = JSON.stringify({ index, control: CONTROL })
    await app.send(url, { body, headers: signedHeaders(secret ?? '', body, url) })
    const latest = await client.call('deliveries.get', { id: 'latest' })
    await client.call('deliveries.signature', { id: latest.id })
    await client.call('deliveries.body', { id: latest.id })
  }
  for (const query of ['', 'is:valid']) await client.call('deliveries.list', { query })
  await client.call('hooks.list', {})
  await client.call('environments.list', { includeSecrets: false })
  await client.call('environments.list', { includeSecrets: true })
  await client.call('app.status', {})
  await client.call('doctor.run', {})
  for (const call of service.calls) seen.push(JSON.stringify([call.headers, call.body.toString()]))
})

afterAll(async () => {
  await service.close()
})

async function ownKeys(): Promise<string[]> {
  const keyNames = ['sandbox-test', 'sandbox-live']
  const { environments } = await client.call('environments.list', { includeSecrets: true })
  return environments.filter(({ name }) => keyNames.includes(name)).map(({ key }) => key ?? '')
}

/** Returns the secrets that the sandbox created. */
async function ownSecrets(): Promise<string[]> {
  const { hooks } = await client.call('hooks.list', { environment: 'sandbox-test' })
  const secrets = await Promise.all(hooks.map(({ id }) => client.call('hooks.reveal', { id })))
  return [...(await ownKeys()), ...secrets.map(({ secret }) => secret)]
}

const hitsInFiles = (secrets: readonly string[]) => plantedBelow(folder, secrets)

describe('the test itself', () => {
  test('more than forty secrets were planted, each through a flow', () => {
    expect(new Set(planted).size).toBe(40)
    const everything = Buffer.from(seen.join('\n'))
    expect(planted.filter((secret) => findPlanted([secret], everything).length === 0)).toEqual([])
    expect(failures.map(({ code }) => code).toSorted()).toEqual(
      [
        ...[
          'CONFIRMATION_REQUIRED',
          'INVALID_ENVIRONMENT',
          'INVALID_ENVIRONMENT',
          'INVALID_ENVIRONMENT',
          'INVALID_HOOK',
        ],
        ...[
          'INVALID_INPUT',
          'NOT_FOUND',
          'SERVICE_REFUSED',
          'SERVICE_REFUSED',
          'SERVICE_REFUSED',
          'SERVICE_REFUSED',
        ],
        ...['SERVICE_REFUSED', 'SERVICE_REFUSED', 'SERVICE_TIMEOUT', 'SERVICE_UNREACHABLE'],
      ].toSorted(),
    )
    expect(app.bugs).toEqual([])
  })

  test('unprotected text is found, in clear and encoded', async () => {
    const hits = await hitsInFiles([CONTROL])
    expect(hits.join('\n')).toMatch(/countersign\.db(-wal)?: control-.* in JSON/)
    expect(
      findPlanted([CONTROL], Buffer.from(messages.join('\n'))).map(({ form }) => form),
    ).toContainEqual(expect.stringMatching(/^in Base64 at/))
    expect(findPlanted(hookSecrets.rotated, Buffer.from(revealed.join('\n')))).not.toEqual([])
    for (const encode of ['utf8', 'hex', 'base64', 'base64url', 'utf16le'] as const) {
      const text =
        encode === 'utf8' || encode === 'utf16le'
          ? CONTROL
          : Buffer.from(`xx${CONTROL}y`).toString(encode)
      const bytes = Buffer.concat([
        Buffer.from('before'),
        Buffer.from(text, encode === 'utf16le' ? encode : 'utf8'),
      ])
      expect(findPlanted([CONTROL], bytes).length).toBeGreaterThan(0)
    }
  })
})

test('no message to a window contains a secret, except answers to explicit requests', async () => {
  expect(messages.length).toBeGreaterThan(100)
  const secrets = [...planted, ...(await ownSecrets())]
  const hits = messages.flatMap((text) =>
    findPlanted(secrets, Buffer.from(text)).map((hit) => ({ ...hit, text: text.slice(0, 300) })),
  )
  expect(hits).toEqual([])
})

test('no file of the data folder contains a secret while it runs', async () => {
  const files = [...(await filesBelow(folder)).keys()].map((file) => basename(file))
  for (const name of ['countersign.db', 'countersign.db-wal', 'instance.json'])
    expect(files).toContain(name)
  expect(await hitsInFiles([...planted, ...(await ownSecrets())])).toEqual([])
})

test("nor after a restart with a vault that can't decrypt them", async () => {
  const own = await ownSecrets()
  await app.stop()
  expect(await hitsInFiles([...planted, ...own])).toEqual([])
  await rm(join(folder, 'vault.key'))
  app = await coreInFolder({ dataFolder: folder, deps: { log: fileLog() } })
  // It starts anyway: the hooks are there, missing secrets are reported, and the sandbox has new
  // keys.
  connectWindow()
  const { hooks } = await client.call('hooks.list', { environment: 'right' })
  expect(hooks.length).toBeGreaterThan(0)
  expect(hooks.filter(({ secretHint }) => secretHint !== null)).toEqual([])
  await fails(client.call('hooks.reveal', { id: hooks[0]?.id ?? '' }))
  await fails(client.call('environments.check', { name: 'right' }))
  expect(await ownKeys()).toEqual([
    expect.stringMatching(/^sk_test_/),
    expect.stringMatching(/^sk_live_/),
  ])
  expect(own).not.toContain((await ownKeys())[0])
  const files = await filesBelow(folder)
  const logged = [...files]
    .filter(([file]) => file.endsWith('.log'))
    .map(([, bytes]) => bytes.toString())
  expect(logged.join('')).toContain("can't decrypt")
  expect(await hitsInFiles([...planted, ...own, ...(await ownKeys())])).toEqual([])
})
