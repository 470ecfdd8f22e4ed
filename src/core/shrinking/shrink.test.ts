import { expect, test } from 'vitest'
import { createEventHub } from '../base/event-hub.ts'
import { accountsInFolder } from '../../../test/support/in-folder.ts'
import { startRawEndpoint } from '../../../test/support/replay-fixture.ts'
import { closeAtEnd, temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { testDeps } from '../../../test/support/test-core.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { shrinkCommands } from '../../shared/contract/nouns/shrink.ts'
import { hookImportSchema } from '../../shared/model/hook.ts'
import type { ShrinkRun } from '../../shared/model/shrink.ts'
import { Admission } from '../outgoing/admit.ts'
import { createOwnSends } from '../outgoing/own-sends.ts'
import { createGuard } from '../outgoing/wire/guarded-sender.ts'
import { resolveWithSystem } from '../outgoing/wire/target-policy.ts'
import { Shrinker } from './shrink.ts'
import { noSecrets } from '../../../test/support/no-secrets.ts'

/** A thread that finds a smaller body, and breaks when asked to describe it. */
const BREAKING = `import { parentPort } from 'node:worker_threads'
const body = new TextEncoder().encode('{}')
parentPort.on('message', (message) => {
  const { id, name, input } = message
  if (message === 'close') return parentPort.close()
  if (name === 'describe') throw new Error('It ran out of memory.')
  const output = name === 'read' ? 'json' : { phase: 'removing', body, isSmallest: input !== null }
  parentPort.postMessage({ id, ok: true, output })
})
parentPort.postMessage({ ready: true })`

async function testShrinks() {
  const folder = temporaryFolder()
  const { clock, ids, log, bugs } = testDeps(folder)
  const { store, hooks, environments } = await accountsInFolder(folder)
  const endpoint = await startRawEndpoint(() => 500)
  closeAtEnd(endpoint.close)
  const hook = {
    event: 'card.linked',
    url: 'https://hooks.example/one',
    secret: 'whsec_one',
    environment: 'sandbox-test',
  }
  const { id: hookId } = await hooks.import(hookImportSchema.parse(hook))
  await store.capture(
    captureOf('{"a":1}', { id: 'one', hookId, environment: 'sandbox-test', mode: 'test' }),
  )
  const reported: ShrinkRun[] = []
  const guard = createGuard({
    clock,
    resolve: resolveWithSystem,
    caPem: '',
    ownPorts: () => new Set(),
  })
  const hub = createEventHub()
  hub.on('shrink.changed', ({ run }) => reported.push(run))
  const shrinks = new Shrinker({
    ...noSecrets,
    store,
    hooks,
    environments,
    handlerSigner: () => Promise.resolve(null),
    ownSends: createOwnSends(clock),
    clock,
    ids,
    log,
    admission: new Admission({ guard, known: { hooks, environments } }),
    threadEntry: new URL(`data:text/javascript,${encodeURIComponent(BREAKING)}`),
    hub,
  })
  closeAtEnd(() => shrinks.close())
  const { allowHosts, live, ...input } = shrinkCommands['shrink.start'].input.parse({
    id: 'one',
    to: endpoint.origin,
    rate: 1_000,
  })
  return {
    start: () => shrinks.start({ ...input, handlerId: null, consent: { allowHosts, live } }),
    shrinks,
    reported,
    bugs,
    endpoint,
  }
}

test('the result is reported even if the thread breaks while describing it', async () => {
  const { start, shrinks, reported, bugs } = await testShrinks()
  const { id } = await start()
  await expect.poll(() => reported.at(-1)?.phase).toBe('ended')
  const { run, base64, fields } = shrinks.get(id)
  expect([run.outcome, Buffer.from(base64, 'base64').toString(), fields]).toEqual([
    'smallest',
    '{}',
    [],
  ])
  expect(bugs).toHaveLength(1)
})

test('each request has its own connection, so none meets one that the handler has just closed', async () => {
  const { start, reported, endpoint } = await testShrinks()
  await start()
  await expect.poll(() => reported.at(-1)?.phase).toBe('ended')
  expect(endpoint.requests.length).toBeGreaterThan(1)
  expect(endpoint.connections()).toBe(endpoint.requests.length)
})

test("a search that is starting during shutdown doesn't start", async () => {
  const { start, shrinks, reported } = await testShrinks()
  const starting = start().then(
    () => null,
    (error: unknown) => (error as { code?: string }).code,
  )
  await shrinks.close()
  expect([await starting, reported]).toEqual(['NOT_RUNNING', []])
})
