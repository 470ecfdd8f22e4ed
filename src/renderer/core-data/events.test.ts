import { QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { replayWith } from '../../../test/support/model-values.ts'
import { openAskedWindow } from '../../../test/browser/open-window.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { events } from '../../shared/contract/contract.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { AppStatus } from '../../shared/model/status.ts'
import { NO_STATISTICS } from '../../shared/model/statistics.ts'
import { effects, followCore, REPLAYS } from './events.ts'

const hook = (id: string, url = '') => ({ id, url }) as Hook

function start() {
  const window = openAskedWindow()
  return { ...window, ...followCore(window.core.client, window.data) }
}

test('every event of the contract has a row in the table', () => {
  expect(Object.keys(effects).toSorted()).toEqual(Object.keys(events).toSorted())
})

test('an event changes what is known, without a call', () => {
  const { core, data, know, state } = start()
  know('hooks.list', {}, { hooks: [hook('a'), hook('b')] })
  core.emit('hooks.changed', { hook: hook('b', 'new') })
  core.emit('hooks.changed', { hook: hook('c') })
  core.emit('hooks.removed', { id: 'a' })
  expect(data.cachedOutput('hooks.list', {})?.hooks).toEqual([hook('c'), hook('b', 'new')])
  expect(state().core.hooks).toEqual([hook('c'), hook('b', 'new')])
  expect(core.asked).toEqual([])
})

test('an event changes nothing that is unknown', () => {
  const { core, data } = start()
  core.emit('hooks.changed', { hook: hook('a') })
  expect(data.cachedOutput('hooks.list', {})).toBeUndefined()
})

test('an event during a read is applied to its output', async () => {
  const { core, data } = start()
  const reading = data.queries.fetchQuery({ queryKey: ['app.status', {}] })
  await expect.poll(() => core.asked).toHaveLength(1)
  core.emit('deliveries.changed', { added: [], skipped: 0, updated: [], total: 7 })
  await core.answer('app.status', { store: { deliveries: 5 } } as AppStatus)
  await reading
  expect(data.cachedOutput('app.status', {})?.store.deliveries).toBe(7)
})

test('a gap in the events reads all again, and the older data stays until then', async () => {
  const { core, data, open } = start()
  open()
  await expect.poll(() => core.asked.map(({ command }) => command)).toContain('hooks.list')
  await core.answer('hooks.list', { hooks: [hook('a')] })
  expect(data.cachedOutput('hooks.list', {})?.hooks).toEqual([hook('a')])
  core.gap()
  await expect.poll(() => core.asked.map(({ command }) => command)).toContain('hooks.list')
  expect(data.cachedOutput('hooks.list', {})?.hooks).toEqual([hook('a')])
  await core.answer('hooks.list', { hooks: [hook('b')] })
  expect(data.cachedOutput('hooks.list', {})?.hooks).toEqual([hook('b')])
})

test('a failed read keeps the older data and says why; a lost connection is not mentioned', async () => {
  const { core, data, know, notify } = start()
  know('hooks.list', {}, { hooks: [hook('a')] })
  const fail = async (error: Error) => {
    const reading = data.queries.prefetchQuery({ queryKey: ['hooks.list', {}], staleTime: 0 })
    await expect.poll(() => core.asked).toHaveLength(1)
    await core.next('hooks.list').refuse(error)
    await reading
  }
  await fail(new AppError('DISCONNECTED', 'Gone.'))
  expect(notify).not.toHaveBeenCalled()
  await fail(new AppError('STORE_UNAVAILABLE', 'The disk is full.'))
  expect(notify.mock.calls).toEqual([
    [
      {
        tone: 'bad',
        title: "Couldn't load data from Countersign",
        message: 'The disk is full.',
      },
    ],
  ])
  expect(data.cachedOutput('hooks.list', {})?.hooks).toEqual([hook('a')])
})

test('the counts on screen are read again when deliveries arrive, are deleted or restored', async () => {
  const { core, data } = start()
  const observer = new QueryObserver(data.queries, { queryKey: ['statistics.read', {}] })
  const stop = observer.subscribe(() => undefined)
  await core.answer('statistics.read', NO_STATISTICS)
  core.emit('deliveries.changed', { added: [], skipped: 1, updated: [], total: 1 })
  await core.answer('statistics.read', NO_STATISTICS)
  core.emit('deliveries.deleted', { seqs: [1], more: false, total: 0 })
  await expect.poll(() => core.asked.map(({ command }) => command)).toEqual(['statistics.read'])
  await core.answer('statistics.read', NO_STATISTICS)
  core.emit('deliveries.restored', { total: 1 })
  await expect.poll(() => core.asked.map(({ command }) => command)).toEqual(['statistics.read'])
  stop()
})

test('a replay that starts or ends is changed in the list of replays', () => {
  const { core, data, know } = start()
  know('replay.list', REPLAYS, { replays: [replayWith({ id: 'a' })] })
  core.emit('replay.changed', { replay: replayWith({ id: 'b', state: 'running' }) })
  core.emit('replay.changed', { replay: replayWith({ id: 'b', state: 'done' }) })
  expect(
    data.cachedOutput('replay.list', REPLAYS)?.replays.map(({ id, state }) => [id, state]),
  ).toEqual([
    ['b', 'done'],
    ['a', 'done'],
  ])
})
