import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { signedHeaders } from '../../../test/support/deliver.ts'
import { BRIEF, accountsInStore, storeInFolder } from '../../../test/support/in-folder.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { accountOf } from '../../../test/support/model-values.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { answeringRuleSchema, type Hook } from '../../shared/model/hook.ts'
import { createEventHub } from '../base/event-hub.ts'
import type { Store } from '../store/store.ts'
import { databaseFileOf } from '../store/database.ts'
import { createVault } from './vault.ts'
import { createFileBackend } from './file-backend.ts'
import type { Environments } from './environments.ts'
import type { Hooks } from './hooks.ts'
import type { Registry } from './registry.ts'

const URL = 'https://127.0.0.1:4783/h/demo?a=1'
const SECRET = 'whsec-first-0123'

let folder: string
let store: Store
let registry: Registry
let environments: Environments
let hooks: Hooks
let changed: Hook[]
let removed: string[]
let reported: (Hook & { secret: string })[]
let sandboxRuns: boolean
let warnings: string[]

beforeEach(async () => {
  folder = temporaryFolder()
  store = await storeInFolder(folder, BRIEF)
  sandboxRuns = true
  await open()
})

/** Opens the folder like a restart, with its vault key or another one. */
async function open(vaultFolder = folder): Promise<void> {
  changed = []
  removed = []
  reported = []
  warnings = []
  const clock = createManualClock()
  const log = {
    info: () => undefined,
    warn: (message: string) => warnings.push(message),
    bug: () => 'ref',
  }
  const vault = createVault([createFileBackend(vaultFolder, (count) => randomBytes(count))])
  let id = (await store.read('hooks', null)).length
  const hub = createEventHub()
  hub.on('hook.imported', ({ hook, secret, waitFor }) => {
    if (sandboxRuns) waitFor(Promise.resolve(void reported.push({ ...hook, secret })))
  })
  hub.on('hooks.changed', ({ hook }) => changed.push(hook))
  hub.on('hooks.removed', ({ id: gone }) => removed.push(gone))
  const ids = { next: () => `hook-${++id}` }
  const opened = await accountsInStore(store, vault, { clock, ids, log, randomBytes }, hub)
  registry = opened.registry
  environments = opened.environments
  hooks = opened.hooks
}

async function verdictOf(secret: string, prefix = 'service'): Promise<string> {
  const headers = signedHeaders(secret, '{}', URL).map(([name, value]): [string, string] => [
    name.replace('service', prefix),
    value,
  ])
  return (await registry.judge('/h/demo?a=1', headers, Buffer.from('{}'), Date.now())).verdict
}

const demo = { event: 'transaction.auth', url: URL, secret: SECRET, live: false }

test('an imported hook is shown without its secret, known to the receiver, and kept after a restart', async () => {
  sandboxRuns = false
  const hook = await hooks.import(demo)
  expect(hook).toMatchObject({
    id: 'hook-1',
    remoteId: null,
    kind: 'program',
    environment: 'sandbox-test',
    mode: 'test',
    path: '/h/demo?a=1',
    status: 'active',
    secretHint: '…0123',
    previousSecrets: 0,
    record: null,
  })
  expect(JSON.stringify(changed)).not.toContain(SECRET)
  expect(changed).toEqual([hook])
  expect(await verdictOf(SECRET)).toBe('valid')
  await open()
  expect(hooks.list()).toEqual([hook])
  expect(await verdictOf(SECRET)).toBe('valid')
  expect(await hooks.reveal('hook-1')).toBe(SECRET)
})

test('importing a hook again changes nothing; another secret is another hook', async () => {
  sandboxRuns = false
  const hook = await hooks.import(demo)
  expect(hooks.findImported(demo)).toEqual(hook)
  expect(await hooks.import(demo)).toEqual(hook)
  expect(hooks.list()).toEqual([hook])
  await hooks.import({ ...demo, secret: 'whsec_another' })
  await hooks.change(hook.id, { status: 'deleted' })
  await hooks.import(demo)
  expect(hooks.list()).toHaveLength(3)
})

test('a hook imported for the sandbox is registered there and can be changed', async () => {
  const hook = await hooks.import({ ...demo, environment: 'sandbox-live' })
  expect(reported).toMatchObject([
    { id: hook.id, url: URL, secret: SECRET, environment: 'sandbox-live', mode: 'live' },
  ])
  expect(hook.remoteId).toBe(hook.id)
  await environments.add(accountOf())
  await hooks.import({ ...demo, environment: 'staging', remoteId: 'remote-1' })
  expect(reported).toHaveLength(1)
  expect(hooks.list('staging')).toMatchObject([{ remoteId: 'remote-1' }])
})

test('events without documented registration can be imported; a broken rule is named', async () => {
  expect(await hooks.import({ ...demo, event: 'marketplace.offer.live' })).toMatchObject({
    kind: null,
  })
  await expect(hooks.import({ ...demo, url: 'http://x.example/' })).rejects.toMatchObject({
    code: 'INVALID_HOOK',
    details: [{ rule: 'url-https', section: '2.1' }],
  })
  expect(hooks.list()).toHaveLength(1)
})

test('after a rotation, signatures with the current and all previous secrets verify', async () => {
  await hooks.import(demo)
  await hooks.rotate('hook-1', 'whsec-second-4567')
  const rotated = await hooks.rotate('hook-1', 'whsec-third-89ab')
  expect(rotated).toMatchObject({ secretHint: '…89ab', previousSecrets: 2 })
  await open()
  expect(await hooks.reveal('hook-1')).toBe('whsec-third-89ab')
  for (const secret of [SECRET, 'whsec-second-4567', 'whsec-third-89ab'])
    expect(await verdictOf(secret)).toBe('valid')
  expect(await verdictOf('whsec-other')).toBe('invalid')
})

test("entering the current secret again isn't a rotation, entering an older one is", async () => {
  await hooks.import(demo)
  expect(await hooks.rotate('hook-1', SECRET)).toMatchObject({ previousSecrets: 0 })
  await hooks.rotate('hook-1', 'whsec-second-4567')
  expect(await hooks.rotate('hook-1', SECRET)).toMatchObject({
    secretHint: '…0123',
    previousSecrets: 2,
  })
})

test("a secret that this computer can't decrypt is reported and can be entered again", async () => {
  await hooks.import(demo)
  const elsewhere = temporaryFolder()
  await open(elsewhere)
  expect(warnings).toHaveLength(1)
  expect(hooks.list()).toMatchObject([{ secretHint: null }])
  await expect(hooks.reveal('hook-1')).rejects.toMatchObject({ code: 'SECRET_UNREADABLE' })
  expect(await verdictOf(SECRET)).toBe('invalid')
  await hooks.rotate('hook-1', SECRET)
  expect(await verdictOf(SECRET)).toBe('valid')
})

test('after an environment changes, its prefix is recognized at once', async () => {
  await environments.add(accountOf())
  await hooks.import({ ...demo, environment: 'staging' })
  expect(await verdictOf(SECRET, 'acme')).toBe('unsigned')
  await environments.update({ name: 'staging', prefix: 'acme' })
  expect(await verdictOf(SECRET, 'acme')).toBe('valid')
})

test('concurrent changes of one hook are all kept', async () => {
  const { id } = await hooks.import(demo)
  const rule = answeringRuleSchema.parse({ status: 418 })
  await Promise.all([
    hooks.rotate(id, 'another-secret-1'),
    hooks.change(id, { status: 'gone' }),
    hooks.setAnswering(id, rule),
  ])
  expect(hooks.list()).toMatchObject([
    { id, status: 'gone', previousSecrets: 1, answering: { status: 418 } },
  ])
  expect(hooks.secretsOf(id)).toHaveLength(2)
})

test('a hook removed for good leaves nothing, and its sealed secrets are overwritten', async () => {
  await hooks.import(demo)
  const [sealed] = (await store.read('hooks', null))[0]?.secrets ?? []
  await hooks.confirmUnused('hook-1')
  await hooks.purge('hook-1')
  expect([removed, hooks.list(), await verdictOf(SECRET)]).toEqual([['hook-1'], [], 'unknown-hook'])
  await expect(hooks.purge('hook-1')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await store.close()
  expect(readFileSync(databaseFileOf(folder)).includes(Buffer.from(sealed?.sealed ?? ''))).toBe(
    false,
  )
  store = await storeInFolder(folder, BRIEF)
  await open()
  expect(hooks.list()).toEqual([])
})
