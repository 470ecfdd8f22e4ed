import { beforeEach, expect, test } from 'vitest'
import { createEventHub } from '../base/event-hub.ts'
import { BRIEF, accountsInStore, storeInFolder } from '../../../test/support/in-folder.ts'
import { testDeps } from '../../../test/support/test-core.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { handlerAddSchema, type SavedHandler } from '../../shared/model/handler.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { createVault } from '../hooks/vault.ts'
import type { Store } from '../store/store.ts'
import { openSavedHandlers, type SavedHandlers } from './handlers.ts'

const SECRET = 'whsec-own-secret-0123456789'
const HOOK_SECRET = 'whsec-hook-secret-0123456789'

let folder: string
let store: Store
let hooks: Hooks
let handlers: SavedHandlers
let announced: SavedHandler[][]
let forgotten: string[]

async function open(): Promise<void> {
  const deps = testDeps(folder)
  const vault = createVault(await deps.secretBackends(folder))
  announced = []
  forgotten = []
  const hub = createEventHub()
  hooks = (await accountsInStore(store, vault, deps, hub)).hooks
  hub.on('handlers.changed', (changed) => announced.push(changed.handlers))
  handlers = await openSavedHandlers({
    store,
    vault,
    hooks,
    clock: deps.clock,
    ids: deps.ids,
    admit: () => Promise.reject(new Error('Nothing is sent here.')),
    forgetConsent: async (host) => void forgotten.push(host),
    hub,
  })
}

beforeEach(async () => {
  folder = temporaryFolder()
  store = await storeInFolder(folder, BRIEF)
  await open()
})

const add = (input: Parameters<typeof handlerAddSchema.parse>[0]) =>
  handlers.add(handlerAddSchema.parse(input))
const importHook = () =>
  hooks.import({
    event: 'transaction.auth',
    url: 'https://example.com/h/1',
    secret: HOOK_SECRET,
    environment: 'sandbox-test',
  })

test('a handler is remembered across starts, with its scheme and without its secret in any answer', async () => {
  const added = await add({ name: 'local', url: 'localhost:3000/webhooks', secret: SECRET })
  expect(added).toMatchObject({
    name: 'local',
    url: 'http://localhost:3000/webhooks',
    hasSecret: true,
    current: true,
    lastCheck: null,
  })
  await handlers.use('LOCAL')
  await open()
  expect(handlers.list()).toEqual([{ ...added, current: true }])
  expect(JSON.stringify([handlers.list(), announced, added])).not.toContain(SECRET)
  expect(await handlers.resolve('@local', {})).toEqual({
    url: 'http://localhost:3000/webhooks',
    registeredUrl: 'http://localhost:3000/webhooks',
    hookId: null,
    secret: SECRET,
    prefix: null,
    targetCa: null,
    handler: { id: added.id, name: 'local' },
  })
})

test("the own secret is sealed as hooks' secrets are", async () => {
  const before = (await store.read('foreignSeals', 'keyring')).length
  await add({ name: 'local', url: 'localhost:3000', secret: SECRET })
  const [stored] = await store.read('handlers', null)
  expect(stored?.secret?.backend).toBe('file')
  expect(Buffer.from(stored?.secret?.sealed ?? []).toString('latin1')).not.toContain(SECRET)
  // Sealed again when a better key store appears.
  expect((await store.read('foreignSeals', 'keyring')).length).toBe(before + 1)
})

test('a name resolves to URL, registered URL, secret and CA, unless the caller gives its own', async () => {
  const hook = await importHook()
  await add({
    name: 'own',
    url: 'https://a.example/x',
    registeredUrl: 'https://b.example/y',
    secret: SECRET,
  })
  await add({ name: 'hooked', url: 'localhost:1', hookId: hook.id })
  await add({ name: 'bare', url: 'localhost:2' })
  expect(await handlers.resolve('handler:own', {})).toMatchObject({
    registeredUrl: 'https://b.example/y',
    secret: SECRET,
    hookId: null,
  })
  expect(
    await handlers.resolve('@own', { registeredUrl: 'https://c.example', secret: 'given' }),
  ).toMatchObject({
    url: 'https://a.example/x',
    registeredUrl: 'https://c.example',
    secret: 'given',
  })
  expect(await handlers.resolve('@own', { hookId: hook.id })).toMatchObject({
    hookId: hook.id,
    secret: null,
  })
  // Null: the URL that the hook is registered with.
  expect(await handlers.resolve('@hooked', {})).toMatchObject({
    registeredUrl: null,
    secret: null,
    hookId: hook.id,
  })
  expect(await handlers.resolve('@bare', {})).toMatchObject({
    registeredUrl: null,
    secret: null,
    hookId: null,
  })
  expect(await handlers.resolve('localhost:2', {})).toMatchObject({
    url: 'localhost:2',
    handler: null,
  })
})

test('a handler whose hook was deleted says what to do, and works with a secret given', async () => {
  const hook = await importHook()
  const { id } = await add({ name: 'local', url: 'localhost:1', hookId: hook.id })
  await hooks.change(hook.id, { status: 'deleted' })
  expect(announced.at(-1)).toMatchObject([{ id, hasSecret: false }])
  await expect(handlers.resolve('@local', {})).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message:
      'The hook of handler "local" was deleted. Choose another hook for it, or enter its secret.',
  })
  expect(await handlers.resolve('@local', { secret: 'given' })).toMatchObject({
    secret: 'given',
    hookId: null,
  })
})

test('a deletion removes the sealed secret from the database, and undo brings it back', async () => {
  const before = (await store.read('foreignSeals', 'keyring')).length
  const { id } = await add({ name: 'local', url: 'localhost:1', secret: SECRET })
  await handlers.use(id)
  const removal = await handlers.remove('local')
  expect(await store.read('handlers', null)).toEqual([])
  expect(await store.read('foreignSeals', 'keyring')).toHaveLength(before)
  expect(handlers.list()).toEqual([])
  const taken = await add({ name: 'Local', url: 'localhost:2' })
  expect(await handlers.restore(removal)).toMatchObject({
    id,
    name: 'local-2',
    current: false,
    hasSecret: true,
  })
  expect(await handlers.resolve('@local-2', {})).toMatchObject({ secret: SECRET })
  expect(handlers.list().map((handler) => handler.id)).toEqual([id, taken.id].toSorted())
  await expect(handlers.restore(removal)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('a new hook replaces the own secret, and a new secret the hook', async () => {
  const hook = await importHook()
  await add({ name: 'local', url: 'localhost:1', secret: SECRET })
  expect(await handlers.update('local', { hookId: hook.id })).toMatchObject({
    hookId: hook.id,
    hasSecret: true,
  })
  expect((await store.read('handlers', null))[0]?.secret).toBeNull()
  expect(await handlers.update('local', { secret: 'another-secret' })).toMatchObject({
    hookId: null,
    hasSecret: true,
  })
  expect(await handlers.update('local', { secret: null, name: 'renamed' })).toMatchObject({
    hasSecret: false,
    name: 'renamed',
  })
  await expect(handlers.update('renamed', { hookId: hook.id, secret: 'x' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
})

test.each([
  ['a taken name', { name: 'LOCAL', url: 'localhost:1' }, /already exists/],
  ['a URL without a host', { name: 'x', url: 'https://' }, /complete URL/],
  ['a password in the URL', { name: 'x', url: 'https://a:b@example.com' }, /Remove the user name/],
  ['another handler as the URL', { name: 'x', url: '@local' }, /can't be another handler/],
  [
    'a malformed registered URL',
    { name: 'x', url: 'localhost:1', registeredUrl: 'nonsense' },
    /registered with/,
  ],
  [
    'a malformed CA certificate',
    { name: 'x', url: 'localhost:1', targetCa: 'nonsense' },
    /BEGIN CERTIFICATE/,
  ],
])('%s is rejected', async (_what, input, message) => {
  await add({ name: 'local', url: 'localhost:1' })
  await expect(add(input)).rejects.toMatchObject({
    message: expect.stringMatching(message),
  })
})

test('the last checks of a URL are kept for its handlers, one per run', async () => {
  const { id } = await add({ name: 'local', url: 'http://localhost:3000' })
  const check = (runId: string, at: string, failed: number) => ({
    runId,
    at,
    passed: 9,
    failed,
    skipped: 0,
    score: 90,
  })
  await handlers.checked('http://localhost:3000/', check('1', '2026-01-01T00:00:00.000Z', 1))
  await handlers.checked('http://localhost:3000/', check('2', '2026-01-02T00:00:00.000Z', 2))
  await handlers.checked('http://localhost:3000/', check('2', '2026-01-02T00:00:00.000Z', 0))
  await handlers.checked('http://localhost:3001/', check('3', '2026-01-03T00:00:00.000Z', 0))
  await open()
  expect((await handlers.page(id, 1)).checks.map(({ runId, failed }) => [runId, failed])).toEqual([
    ['1', 1],
    ['2', 0],
  ])
  expect(handlers.get('local').lastCheck).toEqual({
    at: '2026-01-02T00:00:00.000Z',
    passed: 9,
    failed: 0,
    skipped: 0,
  })
})
