import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { checkRunOf } from '../../../../test/support/model-values.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { CheckRun } from '../../../shared/model/check.ts'

const run = (id: string, state: CheckRun['state'] = 'done') => checkRunOf({ id, state })

function start() {
  const { core, notify, state } = openAskedWindow()
  const read = async (...runs: CheckRun[]) => {
    void state().check.read()
    void core.answer('check.cases', { cases: [] })
    await core.answer('check.list', { runs })
  }
  return { core, notify, state, read }
}

test("cases and the latest run load together, so the form of the first check doesn't flash", async () => {
  const { core, state, read } = start()
  await read(run('2'), run('1'))
  expect(state().check.cases).toBe(null)
  await core.answer('check.get', { run: run('2') })
  expect([state().check.cases, state().check.run?.id]).toEqual([[], '2'])
})

test('a filled-in form survives a reload, such as after a lost connection', async () => {
  const { core, state, read } = start()
  await read(run('1'))
  await core.answer('check.get', { run: run('1') })
  state().check.showForm(true)
  await read(run('1'))
  await core.answer('check.get', { run: run('1') })
  expect(state().check.formShown).toBe(true)
})

test('the run selected last is shown, and a failed load is reported', async () => {
  const { core, notify, state } = start()
  void state().check.show('1')
  void state().check.show('2')
  const [first, second] = [core.next('check.get'), core.next('check.get')]
  await second.answer({ run: run('2') })
  await first.answer({ run: run('1') })
  expect(state().check.run?.id).toBe('2')
  void state().check.show('3')
  await core.next('check.get').refuse(new AppError('NOT_FOUND', 'There is no check 3.'))
  expect(notify).toHaveBeenCalledWith(
    expect.objectContaining({ tone: 'bad', message: 'There is no check 3.' }),
  )
})
