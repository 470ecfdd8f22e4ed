import { expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { createAskedClient } from '../../../../test/support/asked-client.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { ShrinkResult, ShrinkRun } from '../../../shared/model/shrink.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { createShrinkSlice, type ShrinkSlice } from './shrink-slice.ts'

const run = (id: string, outcome: ShrinkRun['outcome']) => ({ id, outcome }) as unknown as ShrinkRun
const result = (id: string, outcome: ShrinkRun['outcome']) => ({ run: run(id, outcome) }) as unknown as ShrinkResult
const input = { id: 'a' } as Parameters<ShrinkSlice['startShrink']>[0]

function start() {
  const core = createAskedClient()
  const notify = vi.fn()
  const context = { client: core.client, capabilities: { showInFolder: false, insetTitleBar: false }, notify }
  const store = createStore<ShrinkSlice & NavigationSlice>()((...tools) => ({
    screen: 'deliveries',
    overlay: null,
    go: () => undefined,
    openOverlay: (overlay) => {
      tools[0]({ overlay })
    },
    closeOverlay: () => undefined,
    ...createShrinkSlice(context)(...tools),
  }))
  return { core, notify, store, state: store.getState }
}

test('of two deliveries asked for, the dialog is of the later one, with its own target; what was opened meanwhile stays', async () => {
  const { core, store, state } = start()
  void state().openShrink(deliveryRow(1))
  void state().openShrink(deliveryRow(2))
  const targets = [core.next('replay.targets'), core.next('replay.targets')]
  await targets[1]?.answer({ byHook: {}, recent: ['http://127.0.0.1:2/'] })
  expect([state().overlay, state().shrinkTarget]).toEqual(['shrink', 'http://127.0.0.1:2/'])
  await targets[0]?.answer({ byHook: {}, recent: ['http://127.0.0.1:1/'] })
  expect([state().shrinkOf?.seq, state().shrinkTarget]).toEqual([2, 'http://127.0.0.1:2/'])
  store.setState({ overlay: null })
  void state().openShrink(deliveryRow(3))
  store.setState({ overlay: 'palette' })
  await core.answer('replay.targets', { byHook: {}, recent: [] })
  expect(state().overlay).toBe('palette')
})

test('a search whose end was missed is read again, and one that an instance started anew does not know is begun anew', async () => {
  const { core, notify, state } = start()
  void state().startShrink(input)
  await core.answer('shrink.start', { run: run('1', null) })
  await core.answer('shrink.get', result('1', null))
  void state().readShrink()
  await core.answer('shrink.get', result('1', 'smallest'))
  expect(state().shrinkResult?.run.outcome).toBe('smallest')
  void state().startShrink(input)
  await core.answer('shrink.start', { run: run('2', null) })
  await core.answer('shrink.get', result('2', null))
  void state().readShrink()
  await core.next('shrink.get').refuse(new AppError('NOT_FOUND', 'There is no search 2.'))
  expect(state().shrinkRun).toBe(null)
  expect(notify).toHaveBeenCalledOnce()
})

test.each([
  ['certificate', true],
  ['refused', false],
])(
  'a form that comes after a handler that could not be asked (%s) says why, until the dialog is opened anew',
  async (kind, isCertificate) => {
    const { core, state } = start()
    void state().startShrink(input)
    const message = 'It could not be asked.'
    const failure = { status: null, kind, answer: '' }
    const unreached = { run: { ...run('1', 'unreachable'), message }, failure } as unknown as ShrinkResult
    await core.answer('shrink.start', unreached)
    await core.answer('shrink.get', unreached)
    state().shrinkAgain()
    expect(state().shrinkUnreached).toEqual({ message, isCertificate })
    void state().openShrink(deliveryRow(1), 'https://localhost/in')
    await Promise.resolve()
    expect(state().shrinkUnreached).toBe(null)
  },
)

test.each([
  ['hidden', null, 1],
  ['open', 'shrink', 0],
] as const)('the end of a search is told where its dialog is not to be seen: %s', async (_, overlay, times) => {
  const { core, notify, store, state } = start()
  const starting = state().startShrink(input)
  await core.next('shrink.start').answer({ run: run('one', null) })
  await core.next('shrink.get').answer(result('one', null))
  await starting
  store.setState({ overlay })
  state().shrinkChanged(run('one', null))
  expect(notify).not.toHaveBeenCalled()
  state().shrinkChanged(run('one', 'smallest'))
  expect(notify).toHaveBeenCalledTimes(times)
})
