import { createHash, randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { BRIEF, storeInFolder } from '../../../test/support/in-folder.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { accountOf } from '../../../test/support/model-values.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { makeTestTls } from '../../../test/support/tls.ts'
import type { Environment } from '../../shared/model/environment.ts'
import { createEventHub, type EventHub } from '../base/event-hub.ts'
import { connectionOf } from '../service-api/connection.ts'
import type { Store } from '../store/store.ts'
import { createVault } from './vault.ts'
import { createFileBackend } from './file-backend.ts'
import { openEnvironments, type Environments } from './environments.ts'

let folder: string
let store: Store
let environments: Environments
let hub: EventHub
let warnings: string[]
let forgotten: string[]
let reported: Environment[][]

beforeEach(async () => {
  folder = temporaryFolder()
  store = await storeInFolder(folder, BRIEF)
  hub = createEventHub()
  hub.on('environments.changed', (changed) => reported.push(changed.environments))
  warnings = []
  forgotten = []
  reported = []
  environments = await open()
})

/** Opens the folder like a restart, with its vault key or another one. */
function open(vaultFolder = folder): Promise<Environments> {
  return openEnvironments({
    store,
    vault: createVault([createFileBackend(vaultFolder, (count) => randomBytes(count))]),
    clock: createManualClock(),
    log: { info: () => undefined, warn: (message) => warnings.push(message), bug: () => 'ref' },
    forgetConsent: async (name) => void forgotten.push(name),
    randomBytes: (count) =>
      createHash('shake256', { outputLength: count }).update(randomBytes(8)).digest(),
    hub,
  })
}

const bearer = {
  auth: 'bearer',
  key: undefined,
  clientId: 'client-1',
  clientSecret: 'client-secret-9876',
  tokenUrl: 'https://auth.example.com/token',
} as const

const names = async () =>
  (await environments.list({ includeSecrets: false })).map(({ name }) => name)

test('the sandbox environments always exist and keep their keys', async () => {
  const [test, live, ...others] = await environments.list({ includeSecrets: true })
  expect(others).toEqual([])
  expect(test).toMatchObject({
    name: 'sandbox-test',
    mode: 'test',
    baseUrl: '',
    auth: 'service-key',
    current: true,
  })
  expect(live).toMatchObject({ name: 'sandbox-live', mode: 'live', current: false })
  expect([test?.key, live?.key]).toEqual([
    expect.stringMatching(/^sk_test_.{32}$/),
    expect.stringMatching(/^sk_live_.{32}$/),
  ])
  expect(test?.publicKey).toMatch(/^pk_test_.{32}$/)
  const sandboxUrl = 'https://127.0.0.1:4784'
  hub.emit('sandbox.started', { url: sandboxUrl })
  expect(await environments.list({ includeSecrets: true })).toEqual([
    { ...test, baseUrl: sandboxUrl },
    { ...live, baseUrl: sandboxUrl },
  ])
})

test("every change is announced, rejected changes aren't", async () => {
  await environments.add(accountOf())
  await environments.update({ name: 'staging', prefix: 'acme' })
  await environments.use('staging')
  await expect(environments.update({ name: 'staging', key: 'pk_test_0123' })).rejects.toThrow(
    'public key',
  )
  await environments.remove('staging', [])
  expect(
    reported.map((list) =>
      list.map(({ name, prefix, current }) => `${name} ${prefix}${current ? ' current' : ''}`),
    ),
  ).toEqual([
    ['sandbox-test service current', 'sandbox-live service', 'staging service'],
    ['sandbox-test service current', 'sandbox-live service', 'staging acme'],
    ['sandbox-test service', 'sandbox-live service', 'staging acme current'],
    ['sandbox-test service current', 'sandbox-live service'],
  ])
  expect(JSON.stringify(reported)).not.toContain(accountOf().key)
})

test('an update keeps unnamed settings and never changes the mode', async () => {
  const caPem = null
  await environments.add(accountOf({ proxy: 'http://proxy.example:3128', timeoutMs: 5_000, caPem }))
  const changed = await environments.update({ name: 'staging', prefix: 'acme' })
  expect(changed).toMatchObject({
    prefix: 'acme',
    baseUrl: 'https://api.example.com',
    key: '…6789',
    mode: 'test',
  })
  expect(connectionOf(environments.get('staging'))).toMatchObject({
    proxy: 'http://proxy.example:3128',
    timeoutMs: 5_000,
  })
  await environments.update({ name: 'staging', proxy: null, key: 'sk_test_new_9999' })
  expect(connectionOf(environments.get('staging'))).toMatchObject({ proxy: null, timeoutMs: 5_000 })
  expect(await environments.openKey(environments.get('staging'))).toBe('sk_test_new_9999')
  await expect(environments.update({ name: 'staging', key: 'pk_test_0123' })).rejects.toThrow(
    'public key',
  )
  expect(await environments.openKey(environments.get('staging'))).toBe('sk_test_new_9999')
})

test("a new authentication method needs its own secret: a key isn't a client secret", async () => {
  await environments.add(accountOf())
  const { clientSecret, ...rest } = bearer
  await expect(environments.update({ name: 'staging', ...rest })).rejects.toThrow('client secret')
  const changed = await environments.update({ name: 'staging', ...rest, clientSecret })
  expect(changed).toMatchObject({ auth: 'bearer', key: '…9876' })
  expect(connectionOf(environments.get('staging'))).toMatchObject({
    clientId: 'client-1',
    authHeader: 'Authentication',
  })
  await expect(environments.update({ name: 'staging', auth: 'service-key' })).rejects.toThrow(
    'Enter a secret key',
  )
})

test("a key that this computer can't decrypt can be entered again", async () => {
  await environments.add(accountOf())
  const elsewhere = temporaryFolder()
  environments = await open(elsewhere)
  await expect(environments.openKey(environments.get('staging'))).rejects.toMatchObject({
    code: 'SECRET_UNREADABLE',
  })
  expect((await environments.list({ includeSecrets: false })).at(-1)?.key).toBe('…')
  expect((await environments.list({ includeSecrets: true })).at(-1)?.key).toBeNull()
  expect(await environments.update({ name: 'staging', key: 'sk_test_again_5555' })).toMatchObject({
    key: '…5555',
  })
})

test('the sandbox keeps its keys, or gets new ones if another computer encrypted them', async () => {
  const keysOf = () => environments.openSandboxKeys(environments.get('sandbox-live'))
  const keys = await keysOf()
  expect(keys).toEqual({
    publicKey: expect.stringMatching(/^pk_live_/),
    secretKey: expect.stringMatching(/^sk_live_/),
  })
  environments = await open()
  expect(await keysOf()).toEqual(keys)
  expect(warnings).toEqual([])
  const elsewhere = temporaryFolder()
  environments = await open(elsewhere)
  const renewed = await keysOf()
  expect(warnings).toHaveLength(1)
  expect(renewed.secretKey).not.toBe(keys.secretKey)
  expect(renewed.publicKey).not.toBe(keys.publicKey)
  environments = await open(elsewhere)
  expect(await keysOf()).toEqual(renewed)
  expect(await environments.openKey(environments.get('sandbox-live'))).toBe(renewed.secretKey)
})

test('the current environment is the default', async () => {
  expect(environments.get(undefined).name).toBe('sandbox-test')
  await environments.add(accountOf())
  expect(await environments.use('staging')).toMatchObject({ name: 'staging', current: true })
  expect(environments.get(undefined).name).toBe('staging')
  environments = await open()
  expect(
    (await environments.list({ includeSecrets: false })).filter(({ current }) => current),
  ).toMatchObject([{ name: 'staging' }])
  await environments.remove('staging', [])
  expect(environments.get(undefined).name).toBe('sandbox-test')
  expect(await names()).toEqual(['sandbox-test', 'sandbox-live'])
  await expect(environments.use('staging')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('concurrent changes of one environment are all kept', async () => {
  await environments.add(accountOf())
  const change = (part: object) => environments.update({ name: 'staging', ...part })
  await Promise.all([
    change({ prefix: 'acme' }),
    change({ timeoutMs: 5_000 }),
    change({ key: 'sk_test_new_9999' }),
  ])
  expect((await environments.list({ includeSecrets: true })).at(-1)).toMatchObject({
    prefix: 'acme',
    timeoutMs: 5_000,
    key: 'sk_test_new_9999',
  })
  await expect(
    Promise.all([
      environments.add(accountOf({ name: 'twice' })),
      environments.add(accountOf({ name: 'twice' })),
    ]),
  ).rejects.toMatchObject({ code: 'INVALID_ENVIRONMENT', details: { field: 'name' } })
})

test('sandbox environments keep their keys; only their prefix and CA certificate can change', async () => {
  const { caPem } = await makeTestTls()
  const before = await environments.list({ includeSecrets: true })
  expect(await environments.update({ name: 'sandbox-live', caPem })).toMatchObject({
    name: 'sandbox-live',
    caPem,
  })
  expect(reported.at(-1)?.[1]).toMatchObject({ caPem })
  environments = await open()
  const [test, live] = await environments.list({ includeSecrets: true })
  expect([test, live]).toEqual([before[0], { ...before[1], caPem }])
  expect(await environments.update({ name: 'sandbox-live', prefix: 'acme' })).toMatchObject({
    prefix: 'acme',
    caPem,
  })
  await environments.update({ name: 'sandbox-live', prefix: 'service', caPem: null })
  expect(await environments.list({ includeSecrets: true })).toEqual(before)
  for (const [change, message] of [
    [{ caPem: 'no certificate' }, /PEM certificate/],
    [{ caPem, proxy: 'x' }, /can't be changed, except its prefix \(--prefix\) and CA certificate/],
    [{ key: 'sk_1' }, /can't be changed/],
  ] as const) {
    await expect(environments.update({ name: 'sandbox-live', ...change })).rejects.toMatchObject({
      code: 'INVALID_ENVIRONMENT',
      message: expect.stringMatching(message),
    })
  }
})
