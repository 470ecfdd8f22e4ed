/**
 * Promise 17: secrets survive a change of host. Secrets of all three backends are opened with the
 * real dependencies of both hosts; only the operating system's key stores are replaced.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { createVault, resealSecrets } from '../../src/core/hooks/vault.ts'
import type { Jobs } from '../../src/core/base/threads/job-thread.ts'
import { readerJobs } from '../../src/core/store/reader.ts'
import { writerJobs } from '../../src/core/store/writer.ts'
import type { Store } from '../../src/core/store/store.ts'
import type { SecretBackend } from '../../src/core/base/deps.ts'
import type { OpenKeyringEntry } from '../../src/core/hooks/keyring-backend.ts'
import { createNodeDeps } from '../../src/loopback/node-deps.ts'
import { createDesktopDeps } from '../../src/main/desktop-deps.ts'
import { accountsInStore, coreInFolder, databaseInFolder } from '../support/in-folder.ts'
import { accountOf } from '../support/model-values.ts'
import { testDeps } from '../support/test-core.ts'
import type { TestDatabase } from '../support/test-database.ts'
import type { ReadableDb, WritableDb } from '../../src/core/store/database.ts'

const SECRET = 'whsec-of-the-hook-0123456789'
const KEY = 'sk_test_0123456789'
const hosts = ['loopback', 'desktop'] as const
type HostName = (typeof hosts)[number]

let folder: string
let database: TestDatabase
let store: Pick<Store, 'read' | 'write'>
/** The system keyring: entries by account. Null if there is none. */
let keyring: Map<string, string> | null
beforeEach(() => {
  database = databaseInFolder()
  folder = database.folder
  store = storeWithoutThreads(database.db)
  keyring = new Map()
})

const openEntry: OpenKeyringEntry = (account) =>
  keyring === null
    ? Promise.reject(new Error('There is no keyring.'))
    : Promise.resolve({
        getPassword: () => Promise.resolve(keyring?.get(account) ?? null),
        setPassword(password) {
          keyring?.set(account, password)
          return Promise.resolve()
        },
        deletePassword: () => Promise.resolve(keyring?.delete(account) ?? false),
      })

const workers = testDeps('/').workers
const base = { version: '0.0.0-test', dataFolder: '/' }

/** Returns the backends that a host really uses. */
function backendsOf(host: HostName): Promise<readonly SecretBackend[]> {
  const { log } = testDeps(folder)
  const deps =
    host === 'loopback'
      ? createNodeDeps({
          ...base,
          host: 'loopback',
          workers: new URL('file:///workers/'),
          openEntry,
        })
      : createDesktopDeps({ ...base, workers, log, openEntry })
  return deps.secretBackends(folder)
}

/** Returns the backend of one name only, as another computer has it. */
async function only(name: SecretBackend['name']): Promise<readonly SecretBackend[]> {
  return (await backendsOf('loopback')).filter((backend) => backend.name === name)
}

/** Runs the jobs of the store's threads in this one. */
function storeWithoutThreads(db: WritableDb): Pick<Store, 'read' | 'write'> {
  const reads: Jobs<ReadableDb> = readerJobs
  const writes: Jobs<WritableDb> = writerJobs
  return {
    read: async (name, input) => reads[name]?.(db, input as never) as never,
    write: async (name, input) => writes[name]?.(db, input as never) as never,
  }
}

/**
 * Opens the accounts as a serving core does, without its threads, which would take most of the
 * time.
 */
async function open(backends: readonly SecretBackend[]) {
  const warnings: string[] = []
  const deps = testDeps(folder)
  const log = {
    ...deps.log,
    warn: (_: string, fields?: Record<string, unknown>) =>
      warnings.push(String(fields?.['reason'])),
  }
  const vault = createVault(backends)
  await resealSecrets(store, vault, log)
  return { ...(await accountsInStore(store, vault, { ...deps, log })), warnings }
}

async function put(backends: readonly SecretBackend[]): Promise<void> {
  const { hooks, environments } = await open(backends)
  await environments.add(accountOf({ name: 'own', key: KEY }))
  const url = 'https://receiver.example/in'
  const hook = await hooks.import({
    event: 'card.linked',
    url,
    secret: 'the-first-secret',
    environment: 'own',
  })
  await hooks.rotate(hook.id, SECRET)
  await hooks.change(hook.id, { headers: { 'X-Own': 'a-header-value' } })
}

const storedBackends = () =>
  database.db
    .prepare(
      `SELECT backend FROM hook_secrets UNION SELECT headers_backend FROM hooks WHERE headers_backend IS NOT NULL
       UNION SELECT key_backend FROM environments`,
    )
    .pluck()
    .all()

/** Returns what a host shows of the stored secrets; a rejection is its message. */
async function read(backends: readonly SecretBackend[]) {
  const { hooks, environments, warnings } = await open(backends)
  const [hook] = hooks.list('own')
  const reveal = () => hooks.reveal(hook?.id ?? '').catch((error: Error) => error.message)
  const seen = {
    secret: await reveal(),
    secrets: hooks.secretsOf(hook?.id ?? '').length,
    header: hook?.headers['X-Own'],
    key: await environments.openKey(environments.get('own')).catch((error: Error) => error.message),
  }
  return { ...seen, warnings }
}

const everything = { secret: SECRET, secrets: 2, header: 'a-header-value', key: KEY, warnings: [] }
const UNLOCK = expect.stringContaining('Unlock the keyring and start Countersign again')

describe.each(hosts)('%s with a keyring', (host) => {
  test.each(['keyring', 'file'] as const)('opens secrets of %s', async (name) => {
    await put(await only(name))
    expect(storedBackends()).toEqual([name])
    expect(await read(await backendsOf(host))).toEqual(everything)
    // Encrypted again: from now on both hosts open them.
    expect(storedBackends()).toEqual(['keyring'])
    for (const other of hosts)
      expect(await read(await backendsOf(other)), other).toEqual(everything)
  })
})

describe.each(hosts)('%s without a keyring', (host) => {
  test.each(['keyring', 'file'] as const)(
    'opens secrets of %s or says what to do',
    async (name) => {
      await put(await only(name))
      keyring = null
      const seen = await read(await backendsOf(host))
      if (name === 'file') expect(seen).toEqual(everything)
      else expect(seen).toMatchObject({ secret: UNLOCK, secrets: 0, header: '', key: UNLOCK })
      expect(storedBackends(), 'a key file protects less, so nothing is moved there').toEqual([
        name,
      ])
    },
  )
})

test('the bytes of the old seal are gone from the database and its log', async () => {
  await put(await only('file'))
  const old = database.db.prepare<[], Buffer>('SELECT sealed FROM hook_secrets').pluck().all()
  const has = (file: string, seal: Buffer) => readFileSync(file).includes(seal)
  const found = () =>
    [database.file, `${database.file}-wal`].filter((file) => old.some((seal) => has(file, seal)))
  expect(found()).not.toEqual([])
  await read(await backendsOf('desktop'))
  expect(found()).toEqual([])
})

test('a seal that does not open again replaces nothing', async () => {
  await put(await only('file'))
  const broken = (await only('file')).map((file) => ({
    ...file,
    name: 'keyring' as const,
    protected: true,
    seal: () => Promise.resolve(randomBytes(40)),
    open: () => Promise.resolve('something else'),
  }))
  expect(await read([...broken, ...(await only('file'))])).toEqual(everything)
  expect(storedBackends()).toEqual(['file'])
})

test('the sandbox changes the host too', async () => {
  database.close()
  const start = (backends: readonly SecretBackend[]) =>
    coreInFolder({ dataFolder: folder, deps: { secretBackends: () => Promise.resolve(backends) } })
  const first = await start(await only('file'))
  await first.client.call('sandbox.sample', {})
  const { hooks } = await first.client.call('hooks.list', { environment: 'sandbox-test' })
  const secrets = await Promise.all(
    hooks.map(({ id }) => first.client.call('hooks.reveal', { id })),
  )
  await first.stop()
  const second = await start(await backendsOf('desktop'))
  await second.stop()
  // Nothing needs the key file now.
  const third = await start((await backendsOf('loopback')).filter(({ name }) => name === 'keyring'))
  expect(
    await Promise.all(hooks.map(({ id }) => third.client.call('hooks.reveal', { id }))),
  ).toEqual(secrets)
  await third.client.call('sandbox.sample', {})
  expect(third.bugs).toEqual([])
})
