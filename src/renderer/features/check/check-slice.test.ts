import { expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { createAskedClient } from '../../../../test/support/asked-client.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { CheckRun } from '../../../shared/model/check.ts'
import { createCheckSlice, type CheckSlice } from './check-slice.ts'

const run = (id: string, state: CheckRun['state'] = 'done') => ({ id, state, results: [] }) as unknown as CheckRun

function start() {
  const core = createAskedClient()
  const notify = vi.fn()
  const context = { client: core.client, capabilities: { showInFolder: false, insetTitleBar: false }, notify }
  const { getState: state } = createStore<CheckSlice>()(createCheckSlice(context))
  const read = async (...runs: CheckRun[]) => {
    void state().readChecks()
    void core.answer('check.cases', { cases: [] })
    await core.answer('check.list', { runs })
  }
  return { core, notify, state, read }
}

test('the cases are shown together with the newest run, so that the form of a first check is not seen before it', async () => {
  const { core, state, read } = start()
  await read(run('2'), run('1'))
  expect(state().checkCases).toBe(null)
  await core.answer('check.get', { run: run('2') })
  expect([state().checkCases, state().checkRun?.id]).toEqual([[], '2'])
})

test('a form that is filled in stays when all is read again, as after a connection that was lost', async () => {
  const { core, state, read } = start()
  await read(run('1'))
  await core.answer('check.get', { run: run('1') })
  state().setCheckForm(true)
  await read(run('1'))
  await core.answer('check.get', { run: run('1') })
  expect(state().checkForm).toBe(true)
})

test('of two runs that were chosen the later one is shown, and one that cannot be read is told of', async () => {
  const { core, notify, state } = start()
  void state().showCheck('1')
  void state().showCheck('2')
  const [first, second] = [core.next('check.get'), core.next('check.get')]
  await second.answer({ run: run('2') })
  await first.answer({ run: run('1') })
  expect(state().checkRun?.id).toBe('2')
  void state().showCheck('3')
  await core.next('check.get').refuse(new AppError('NOT_FOUND', 'There is no check 3.'))
  expect(notify).toHaveBeenCalledWith(expect.objectContaining({ tone: 'bad', message: 'There is no check 3.' }))
})
