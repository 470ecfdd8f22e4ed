import { beforeEach, expect, test, vi } from 'vitest'
import { createAskedClient } from '../../../../test/support/asked-client.ts'
import { shrinkResultOf, shrinkRunOf } from '../../../../test/support/model-values.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { ShrinkRun } from '../../../shared/model/shrink.ts'
import { createStore } from '../../state/store.ts'
import type { ShrinkSlice } from './shrink-slice.ts'
import { NO_CAPABILITIES } from '../../../shared/contract/native.ts'

beforeEach(() => {
  vi.stubGlobal('location', { hash: '' })
})

const run = (id: string, outcome: ShrinkRun['outcome']) => shrinkRunOf({ id, outcome })
const result = (id: string, outcome: ShrinkRun['outcome']) => shrinkResultOf(run(id, outcome))
const input = { id: 'a' } as Parameters<ShrinkSlice['start']>[0]

function start() {
  const core = createAskedClient()
  const notify = vi.fn()
  const { getState: state } = createStore({
    client: core.client,
    capabilities: NO_CAPABILITIES,
    notify,
  })
  return { core, notify, state }
}

test('the dialog opens for the delivery requested last, with its target, unless another dialog was opened meanwhile', async () => {
  const { core, state } = start()
  void state().shrink.open(deliveryRow(1))
  void state().shrink.open(deliveryRow(2))
  const targets = [core.next('replay.targets'), core.next('replay.targets')]
  await targets[1]?.answer({ byHook: {}, recent: ['http://127.0.0.1:2/'] })
  expect([state().navigation.overlay, state().shrink.target]).toEqual([
    'shrink',
    'http://127.0.0.1:2/',
  ])
  await targets[0]?.answer({ byHook: {}, recent: ['http://127.0.0.1:1/'] })
  expect([state().shrink.subject?.seq, state().shrink.target]).toEqual([2, 'http://127.0.0.1:2/'])
  state().navigation.closeOverlay()
  void state().shrink.open(deliveryRow(3))
  state().navigation.openOverlay('palette')
  await core.answer('replay.targets', { byHook: {}, recent: [] })
  expect(state().navigation.overlay).toBe('palette')
})

test("a search whose end was missed is loaded again; one that a restarted instance doesn't know shows the form", async () => {
  const { core, notify, state } = start()
  void state().shrink.start(input)
  await core.answer('shrink.start', { run: run('1', null) })
  await core.answer('shrink.get', result('1', null))
  void state().shrink.read()
  await core.answer('shrink.get', result('1', 'smallest'))
  expect(state().shrink.result?.run.outcome).toBe('smallest')
  void state().shrink.start(input)
  await core.answer('shrink.start', { run: run('2', null) })
  await core.answer('shrink.get', result('2', null))
  void state().shrink.read()
  await core.next('shrink.get').refuse(new AppError('NOT_FOUND', 'There is no search 2.'))
  expect(state().shrink.run).toBe(null)
  expect(notify).toHaveBeenCalledOnce()
})

test.each([
  ['certificate', true],
  ['refused', false],
] as const)(
  'after an unreachable handler (%s) the form says why, until the dialog is reopened',
  async (kind, isCertificate) => {
    const { core, state } = start()
    void state().shrink.start(input)
    const message = 'It could not be asked.'
    const failure = { status: null, kind, answer: '' }
    const unreached = shrinkResultOf({ ...run('1', 'unreachable'), message }, { failure })
    await core.answer('shrink.start', unreached)
    await core.answer('shrink.get', unreached)
    state().shrink.again()
    expect(state().shrink.unreached).toEqual({ message, isCertificate })
    void state().shrink.open(deliveryRow(1), 'https://localhost/in')
    await Promise.resolve()
    expect(state().shrink.unreached).toBe(null)
  },
)

test.each([
  ['hidden', null, 1],
  ['open', 'shrink', 0],
] as const)(
  'a notice announces the end of a search while its dialog is hidden: %s',
  async (_, overlay, times) => {
    const { core, notify, state } = start()
    const starting = state().shrink.start(input)
    await core.next('shrink.start').answer({ run: run('one', null) })
    await core.next('shrink.get').answer(result('one', null))
    await starting
    if (overlay === null) state().navigation.closeOverlay()
    else state().navigation.openOverlay(overlay)
    state().shrink.changed(run('one', null))
    expect(notify).not.toHaveBeenCalled()
    state().shrink.changed(run('one', 'smallest'))
    expect(notify).toHaveBeenCalledTimes(times)
  },
)
