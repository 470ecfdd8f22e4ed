import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { replayWith, savedHandlerOf } from '../../../../test/support/model-values.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { REPLAYS, withItem } from '../../core-data/events.ts'
import { newDraft } from './draft.ts'

const hooks = ['a', 'b', 'c'].map((id) => ({ id, url: `https://${id}.example/in` }) as Hook)
const rowsOf = (...hookIds: readonly string[]) =>
  hookIds.map((hookId, place) => deliveryRow(place + 1, { hookId }))
const rows = rowsOf('a', 'b', 'a', 'c')

function start() {
  const window = openAskedWindow()
  const byOrigin = { 'https://a.example': 'authority of a', 'https://b.example': 'authority of b' }
  window.store.setState((state) => ({
    core: { ...state.core, hooks },
    authorities: { ...state.authorities, byOrigin },
  }))
  return {
    ...window,
    state: window.state(),
  }
}

/** Returns each request's target and CA certificate, in sending order. */
async function sent(byHook: Readonly<Record<string, string | null>>) {
  const { core, state } = start()
  void state.replay.replayToDefault(rows)
  await core.answer('replay.targets', { byHook, recent: [] })
  await core.answer('replay.check', {})
  const all = []
  while (core.asked.some(({ command }) => command === 'replay.start')) {
    const { input, answer } = core.next('replay.start')
    all.push([input['ids'], input['to'], input['targetCa']])
    await answer({ replay: { id: String(all.length), state: 'running', total: 1 } })
  }
  return all
}

test("deliveries sent to the URLs of several hooks use each hook's CA certificate", async () => {
  expect(await sent({ a: null, b: null, c: null })).toEqual([
    [['id-1', 'id-3'], null, 'authority of a'],
    [['id-2'], null, 'authority of b'],
    [['id-4'], null, null],
  ])
})

test('deliveries of several hooks with one target form one replay', async () => {
  const to = 'https://b.example/other'
  expect(await sent({ a: to, b: to, c: to })).toEqual([
    [['id-1', 'id-2', 'id-3', 'id-4'], to, 'authority of b'],
  ])
})

test('a curl command sends to where a replay would: the current handler, else the last target of the hook', async () => {
  const { core, know, state } = start()
  const copied = () => core.next('replay.preview').input['to']
  void state.replay.copyCurl('id-1')
  await core.answer('replay.targets', { byHook: { a: 'http://127.0.0.1:1/' }, recent: [] })
  await core.answer('deliveries.get', { hookId: 'a' } as never)
  await expect.poll(copied).toBe('http://127.0.0.1:1/')
  know('handlers.list', {}, { handlers: [savedHandlerOf({ name: 'books', current: true })] })
  void state.replay.copyCurl('id-1')
  expect(copied()).toBe('@books')
})

const toEachOwn = { byHook: { a: null, b: null }, recent: [] }

test('several replays are checked together before the first request is sent', async () => {
  const { core, state } = start()
  void state.replay.replayToDefault(rowsOf('a', 'b'))
  await core.answer('replay.targets', toEachOwn)
  const { input, answer } = core.next('replay.check')
  expect([input, core.asked]).toMatchObject([
    {
      parts: [
        { to: null, targetCa: 'authority of a' },
        { to: null, targetCa: 'authority of b' },
      ],
      most: 25,
    },
    [],
  ])
  await answer({})
  expect(core.next('replay.start').input).toMatchObject({ targetCa: 'authority of a' })
})

test('nothing is sent if one part is rejected', async () => {
  const { core, state, notify } = start()
  void state.replay.replayToDefault(rowsOf('a', 'b'))
  await core.answer('replay.targets', toEachOwn)
  await core.next('replay.check').refuse(new AppError('INVALID_INPUT', 'No target.'))
  expect(core.asked).toEqual([])
  expect(notify).toHaveBeenCalledExactlyOnceWith({
    tone: 'bad',
    title: "Couldn't replay",
    message: 'No target.',
  })
})

const local = {
  id: 'h',
  name: 'local',
  url: 'https://b.example/',
  hasSecret: true,
  current: true,
} as SavedHandler

function startWith(handler: SavedHandler) {
  const started = start()
  started.store.setState((state) => ({ core: { ...state.core, handlers: [handler] } }))
  return started
}

test('with a current handler, all deliveries are replayed there at once, whatever their hooks and earlier targets', async () => {
  const { core, state } = startWith(local)
  void state.replay.replayToDefault([...rows, deliveryRow(9, { hookId: null })])
  await core.answer('replay.check', {})
  expect(core.next('replay.start').input).toMatchObject({
    ids: ['id-1', 'id-2', 'id-3', 'id-4', 'id-9'],
    to: '@local',
    targetCa: null,
  })
})

test('a delivery without a hook opens the composer if the current handler has no secret either', () => {
  const { core, state, store } = startWith({ ...local, hasSecret: false })
  void state.replay.replayToDefault([deliveryRow(9, { hookId: null })])
  expect([core.asked, store.getState().navigation.overlay]).toEqual([[], 'replay-composer'])
})

test('a failure after the first replay started is reported as partial', async () => {
  const { core, state, notify } = start()
  void state.replay.replayToDefault(rowsOf('a', 'b'))
  await core.answer('replay.targets', toEachOwn)
  await core.answer('replay.check', {})
  await core.next('replay.start').answer({ replay: { id: 'first', state: 'running', total: 1 } })
  await core.next('replay.start').refuse(new AppError('SECRET_UNREADABLE', 'Unreadable.'))
  expect(notify).toHaveBeenCalledExactlyOnceWith({
    tone: 'bad',
    title: "Couldn't send everything",
    message: 'Unreadable.',
  })
})

test('a replay can be cancelled before it starts', async () => {
  const { core, state } = start()
  const started = state.replay.start({ query: '' })
  const { isCancelled } = core.next('replay.start')
  expect(state.replay.cancelAll()).toBe(true)
  expect(await started).toEqual({ ok: false, problem: null })
  expect([isCancelled(), state.replay.cancelAll()]).toEqual([true, false])
})

test('the end of a replay is announced once, whether its event arrives before or after the start returns', async () => {
  const { core, data, know, notify, state } = start()
  know('replay.list', REPLAYS, { replays: [] })
  const end = (id: string) => {
    data.patch('replay.list', REPLAYS, ({ replays }) => ({
      replays: withItem(replays, replayWith({ id, state: 'done', total: 3, passed: 3 })),
    }))
  }
  for (const [id, isEarly] of [
    ['late', false],
    ['early', true],
  ] as const) {
    void state.replay.start({ query: '' })
    const started = core.next('replay.start')
    if (isEarly) end(id)
    await started.answer({ replay: replayWith({ id, state: 'running', total: 3 }) })
    if (!isEarly) end(id)
    await expect.poll(() => notify.mock.calls.length).toBe(1)
    expect(notify.mock.lastCall?.[0]).toMatchObject({ tone: 'ok', title: 'Replay: all passed' })
    end(id)
    expect(notify).toHaveBeenCalledTimes(1)
    notify.mockClear()
  }
})

test('changed drafts are kept for each delivery until they are reverted', () => {
  const { state, store } = start()
  const drafts = () => [...store.getState().replay.drafts].map(([of, { text }]) => [of, text])
  state.replay.keepDraft('a', { ...newDraft(null, ''), text: 'one' })
  state.replay.keepDraft('b', { ...newDraft(null, ''), text: 'other' })
  expect(drafts()).toEqual([
    ['a', 'one'],
    ['b', 'other'],
  ])
  state.replay.keepDraft('a', null)
  expect(drafts()).toEqual([['b', 'other']])
})

test('what failed is replayed once per delivery, to the same endpoint with its CA certificate, and shown', async () => {
  const { core, know, state, ...window } = start()
  const target = 'https://b.example/in'
  const replay = replayWith({
    id: 'first',
    to: target,
    registeredUrl: 'https://r/',
    tamper: 'stale',
  })
  const sends = ['one', 'two', 'one'].map((deliveryId) => ({ deliveryId, target }))
  void state.replay.replayFailed(replay)
  const failed = core.next('replay.sends')
  expect(failed.input).toMatchObject({ replayId: 'first', show: 'failed' })
  await failed.answer({ sends } as never)
  const { input, answer } = core.next('replay.start')
  expect(input).toMatchObject({
    ids: ['one', 'two'],
    to: target,
    registeredUrl: 'https://r/',
    tamper: 'stale',
    targetCa: 'authority of b',
  })
  await answer({ replay: replayWith({ id: 'second' }) })
  expect(window.store.getState().navigation).toMatchObject({ overlay: 'replays', about: 'second' })

  know('handlers.list', {}, { handlers: [savedHandlerOf({ id: 'h', name: 'books' })] })
  void state.replay.replayFailed({ ...replay, handlerId: 'h' })
  await core.answer('replay.sends', { sends } as never)
  const named = core.next('replay.start').input
  expect(named).toMatchObject({ to: '@books' })
  expect(named).not.toHaveProperty('registeredUrl')
})
