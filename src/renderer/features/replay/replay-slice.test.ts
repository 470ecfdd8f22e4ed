import { expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { createAskedClient } from '../../../../test/support/asked-client.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { createReplaySlice } from './replay-slice.ts'

type State = ReturnType<ReturnType<typeof createReplaySlice>>

const hooks = ['a', 'b', 'c'].map((id) => ({ id, url: `https://${id}.example/in` }))
const rowsOf = (...hookIds: readonly string[]) => hookIds.map((hookId, place) => deliveryRow(place + 1, { hookId }))
const rows = rowsOf('a', 'b', 'a', 'c')

function start() {
  const core = createAskedClient()
  const context = { client: core.client, capabilities: { showInFolder: false, insetTitleBar: false }, notify: vi.fn() }
  const targetAuthorities = { 'https://a.example': 'authority of a', 'https://b.example': 'authority of b' }
  const store = createStore<object>(() => ({ hooks, targetAuthorities }))
  const slice = createReplaySlice(context) as unknown as (...tools: readonly unknown[]) => State
  const state = slice(store.setState, store.getState, store)
  store.setState({ ...state })
  return { core, state, store }
}

/** What goes to which address, verified with what, in the order in which it goes. */
async function sent(byHook: Readonly<Record<string, string | null>>) {
  const { core, state } = start()
  void state.replayAgain(rows)
  await core.answer('replay.targets', { byHook, recent: [] })
  const all = []
  while (core.asked.some(({ command }) => command === 'replay.start')) {
    const { input, answer } = core.next('replay.start')
    all.push([input['ids'], input['to'], input['targetCa']])
    await answer({ job: { id: String(all.length), state: 'running', total: 1 } })
  }
  return all
}

test('deliveries that go to the registered URLs of several hooks go with the authority of each', async () => {
  expect(await sent({ a: null, b: null, c: null })).toEqual([
    [['id-1', 'id-3'], null, 'authority of a'],
    [['id-2'], null, 'authority of b'],
    [['id-4'], null, null],
  ])
})

test('deliveries of several hooks that go to one address go at once, with its authority', async () => {
  const to = 'https://b.example/other'
  expect(await sent({ a: to, b: to, c: to })).toEqual([[['id-1', 'id-2', 'id-3', 'id-4'], to, 'authority of b']])
})

test('of many the number is asked once, as a whole, before any goes, also where they go in several replays', async () => {
  const { core, state, store } = start()
  const question = () => (store.getState() as State).replayQuestion
  const many = rowsOf(...Array.from({ length: 15 }, () => ['a', 'b']).flat())
  const asked = { byHook: { a: null, b: null }, recent: [] }
  void state.replayAgain(many)
  await core.answer('replay.targets', asked)
  expect([question(), core.asked]).toEqual([{ about: 'count', count: 30 }, []])
  state.answerReplayQuestion(false)
  await Promise.resolve()
  expect([question(), core.asked]).toEqual([null, []])

  void state.replayAgain(many)
  await core.answer('replay.targets', asked)
  state.answerReplayQuestion(true)
  for (const part of ['first', 'second']) {
    await expect.poll(() => core.asked.length).toBe(1)
    const { input, answer } = core.next('replay.start')
    expect([question(), input['most']]).toEqual([null, 30])
    await answer({ job: { id: part, state: 'running', total: 15 } })
  }
})

test('how far a start is written down is shown to who began it, and it can be given up', async () => {
  const { core, state, store } = start()
  const shown = () => (store.getState() as State).replayStart
  const started = state.startReplay({ query: '' })
  const { input, signal } = core.next('replay.start')
  state.replayPreparing({ startId: 'of another window', written: 1, total: 9 })
  expect(shown()).toBeNull()
  state.replayPreparing({ startId: String(input['startId']), written: 2_000, total: 900_000 })
  expect(shown()).toEqual({ written: 2_000, total: 900_000 })
  expect(state.cancelReplays()).toBe(true)
  expect(await started).toEqual({ ok: true, value: null })
  expect([signal?.aborted, shown(), state.cancelReplays()]).toEqual([true, null, false])
})
