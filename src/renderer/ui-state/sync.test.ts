import { expect, test } from 'vitest'
import { openWindow } from '../../../test/browser/open-window.ts'
import { createAnsweredClient } from '../../../test/support/asked-client.ts'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts'
import { rowAt, rowCount } from '../features/list/row-list.ts'
import type { ConnectionState, Host } from '../host/host.ts'
import { startSync } from './sync.ts'
import { NO_CAPABILITIES } from '../../shared/contract/native.ts'
import { packSeqs } from '../../shared/rpc/delivery-seqs.ts'

/**
 * Creates a core with `stored` deliveries that responds on request and can emit events and gaps.
 */
function fakeCore() {
  const waiting: (() => void)[] = []
  const connections: ((state: ConnectionState) => void)[] = []
  const core = { stored: 0, held: false, broken: false, calls: [] as string[] }

  const answer = (
    command: string,
    input: { from?: number; descending?: boolean; seqs?: number[] },
  ): unknown => {
    switch (command) {
      case 'app.status':
        return {
          receiver: { state: 'listening' },
          store: { state: 'ok', problem: null, deliveries: core.stored, bytes: 0 },
        }
      case 'hooks.list':
        return { hooks: [] }
      case 'handlers.list':
        return { handlers: [] }
      case 'environments.list':
        return { environments: [] }
      case 'views.list':
        return { views: [] }
      case 'tunnels.status':
        return { state: 'off' }
      case 'settings.get':
        return DEFAULT_SETTINGS
      case 'deliveries.seqs': {
        const all = Array.from({ length: core.stored }, (_, index) => core.stored - index)
        const found = input.descending === false ? all.toReversed() : all
        return {
          seqs: packSeqs(found.filter((seq) => seq >= (input.from ?? 0))),
          newest: core.stored,
          next: null,
        }
      }
      case 'deliveries.rows':
        return { rows: (input.seqs ?? []).map((seq) => deliveryRow(seq)) }
      case 'replay.list':
        return { jobs: [] }
      default:
        throw new Error(`not expected: ${command}`)
    }
  }

  const { client, emit, gap } = createAnsweredClient((command, input) => {
    core.calls.push(command)
    if (core.broken && command === 'hooks.list') throw new Error('not expected here')
    const output = answer(command, input)
    if (!core.held) return output
    return new Promise((resolve) => {
      waiting.push(() => {
        resolve(output)
      })
    })
  })
  const host: Host = {
    capabilities: NO_CAPABILITIES,
    client,
    onConnection(listener) {
      connections.push(listener)
      return () => undefined
    },
  }
  return {
    core,
    host,
    open: () => {
      for (const connect of connections) connect({ phase: 'open' })
    },
    lose: () => {
      for (const connect of connections) connect({ phase: 'lost', reason: 'gone' })
    },
    gap,
    release() {
      core.held = false
      for (const resolve of waiting.splice(0)) resolve()
    },
    emit,
  }
}

function start() {
  const fake = fakeCore()
  const { notify, store } = openWindow(fake.host.client)
  startSync({ host: fake.host, store })
  const shown = () => {
    const {
      list: { rows: list },
    } = store.getState()
    return Array.from({ length: rowCount(list) }, (_, index) => rowAt(list, index)?.seq)
  }
  return { ...fake, store, notify, shown }
}

const arrival = (...seqs: number[]) => ({
  added: seqs.map((seq) => deliveryRow(seq)),
  skipped: 0,
  updated: [],
  total: Math.max(...seqs),
})
const settled = () => new Promise((done) => setTimeout(done, 0))

test('a delivery that arrives while the snapshot loads is shown once, after it', async () => {
  const app = start()
  app.core.stored = 3
  app.core.held = true
  app.open()
  app.emit('deliveries.changed', arrival(3))
  app.emit('deliveries.changed', arrival(5, 4))
  expect(app.shown()).toEqual([])
  app.release()
  await expect.poll(() => app.shown()).toEqual([5, 4, 3, 2, 1])
  expect(app.store.getState().core.status?.store.deliveries).toBe(5)
})

test('a gap triggers a reload, and the data stays on screen meanwhile', async () => {
  const app = start()
  app.core.stored = 2
  app.open()
  await expect.poll(() => app.shown()).toEqual([2, 1])
  app.core.stored = 6
  app.core.held = true
  app.gap()
  await settled()
  expect(app.shown()).toEqual([2, 1])
  app.release()
  await expect.poll(() => app.shown()).toEqual([6, 5, 4, 3, 2, 1])
})

test('rows missing from an event are loaded', async () => {
  const app = start()
  app.open()
  await expect.poll(() => app.store.getState().core.status).not.toBeNull()
  app.core.stored = 450
  app.emit('deliveries.changed', {
    added: [deliveryRow(450)],
    skipped: 449,
    updated: [],
    total: 450,
  })
  const rows = () => app.store.getState().list.rows
  await expect.poll(() => [rowCount(rows()), rowAt(rows(), 0)?.seq]).toEqual([450, 450])
})

test('screens show why the first snapshot failed; trying again loads it', async () => {
  const app = start()
  app.core.broken = true
  app.open()
  await expect.poll(() => app.store.getState().core.problem).toContain('not expected')
  expect(app.notify).not.toHaveBeenCalled()
  app.core.broken = false
  app.store.getState().core.readAgain()
  await expect
    .poll(() => app.store.getState().core)
    .toMatchObject({
      problem: null,
      status: { receiver: { state: 'listening' } },
    })
})
