/** A search ends, and says how, also where its thread breaks or all is closed in the middle of its start. */
import { expect, test } from 'vitest'
import { shrinkCommands } from '../../shared/contract/nouns/shrink.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { ShrinkRun } from '../../shared/model/shrink.ts'
import type { SendResult } from '../outgoing/send.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { createAdmission } from '../outgoing/admit.ts'
import { createOwnSends } from '../outgoing/own-sends.ts'
import type { Store } from '../store/store.ts'
import { systemClock } from '../base/system-clock.ts'
import { createShrinks } from './shrinks.ts'

/** A thread that asks for one smaller body, finds it, and breaks where it is asked what is left of it. */
const BREAKING = `import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ type }) => {
  if (type === 'read') parentPort.postMessage({ type: 'read', kind: 'json' })
  else if (type === 'search') parentPort.postMessage({ type: 'asked', body: new TextEncoder().encode('{}') })
  else if (type === 'answer') parentPort.postMessage({ type: 'found', body: new TextEncoder().encode('{}') })
  else throw new Error('It ran out of memory.')
})`

const delivery = {
  seq: 1,
  id: 'one',
  method: 'POST',
  headers: [],
  malformed: null,
  truncated: false,
  hookId: 'hook',
  environment: 'sandbox-test',
  mode: 'test',
  bodySize: 7,
} as unknown as Delivery

function testShrinks() {
  const told: ShrinkRun[] = []
  const bugs: unknown[] = []
  const failing: SendResult = {
    status: 500,
    failure: null,
    body: new Uint8Array(),
    ms: 1,
    phases: { connect: 0, wait: 1, body: 0 },
    headers: [],
    truncated: false,
  }
  const shrinks = createShrinks({
    store: {
      read: (name: string) => Promise.resolve(name === 'get' ? delivery : { bytes: Buffer.from('{"a":1}') }),
      settled: () => Promise.resolve(),
    } as unknown as Pick<Store, 'read' | 'settled'>,
    hooks: {
      get: () => ({ id: 'hook', url: 'http://127.0.0.1:9/hook', environment: 'sandbox-test' }),
      reveal: () => Promise.resolve('whsec_one'),
    } as unknown as Pick<Hooks, 'get' | 'reveal'>,
    environments: {
      get: () => ({ name: 'sandbox-test', mode: 'test', prefix: 'service', ack: '200' }),
      all: () => [],
    } as unknown as Pick<Environments, 'get' | 'all'>,
    ownSends: createOwnSends(systemClock),
    clock: systemClock,
    ids: { next: () => 'run' },
    log: { info: () => undefined, warn: () => undefined, bug: (error) => String(bugs.push(error)) },
    admit: createAdmission({
      guard: {
        policyFor: () => ({ allowedHosts: new Set(), resolve: () => Promise.resolve([]), ownPorts: () => new Set() }),
        createSender: () => ({ send: () => Promise.resolve(failing), close: () => Promise.resolve() }),
      },
      known: null,
    }).admit,
    threadEntry: new URL(`data:text/javascript,${encodeURIComponent(BREAKING)}`),
    onChanged: (run) => told.push(run),
  })
  return { shrinks, told, bugs }
}

const input = shrinkCommands['shrink.start'].input.parse({ id: 'one', rate: 1_000 })

test('what was found is told though its thread breaks over what is left of it', async () => {
  const { shrinks, told, bugs } = testShrinks()
  const { id } = await shrinks.start(input)
  await expect.poll(() => told.at(-1)?.phase, { timeout: 10_000 }).toBe('ended')
  const { run, base64, fields } = shrinks.get(id)
  expect([run.outcome, Buffer.from(base64, 'base64').toString(), fields]).toEqual(['smallest', '{}', []])
  expect(bugs).toHaveLength(1)
  await shrinks.close()
})

test('a search that is about to begin while all is closed does not begin', async () => {
  const { shrinks, told } = testShrinks()
  const starting = shrinks.start(input).then(
    () => null,
    (error: unknown) => (error as { code?: string }).code,
  )
  await shrinks.close()
  expect([await starting, told]).toEqual(['NOT_RUNNING', []])
})
