import { expect, test, vi } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { effects, ALL_FLOW_RUNS } from '../../core-data/events.ts'
import {
  environmentOf,
  flowPlanOf,
  flowRunOf,
  flowRunStepOf,
} from '../../../../test/support/model-values.ts'
import type { FlowPlan } from '../../../shared/model/flow-run.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { UserFile } from '../../ui-state/user-file.ts'
import { addressedFlow, PLAN_RUN } from './open-flow.ts'

const plan = (name: string, overrides: Partial<FlowPlan> = {}) => flowPlanOf({ name, ...overrides })
const run = (id: string, flow: string) => flowRunOf({ id, flow, startedAt: id })
const account = (name: string, mode: 'test' | 'live') => environmentOf({ name, mode })

const RUN = { from: 0, step: false }

function start(open?: string) {
  const window = openAskedWindow()
  for (const name of ['a', 'b']) window.know('flows.get', { name }, { flow: plan(name) })
  window.know('flows.runs', ALL_FLOW_RUNS, { runs: [] })
  const show = (name: string) => window.state().navigation.go('flows', { flow: name })
  if (open !== undefined) show(open)
  return { ...window, show, flow: () => addressedFlow(window.state()) }
}

test('the address decides which flow, run and step are shown: the latest run, unless it names another or the plan', () => {
  const { data, flow, know, state } = start('a')
  expect([flow().plan?.name, flow().run]).toEqual(['a', null])
  const runs = [run('2', 'a'), run('1', 'a'), run('3', 'b')]
  know('flows.runs', ALL_FLOW_RUNS, { runs })
  for (const one of runs) know('flows.run', { runId: one.id }, { run: one })
  expect([flow().run?.id, flow().runs.length]).toEqual(['2', 2])
  state().navigation.select('flows', { flow: 'a', run: '1' })
  expect(flow().run?.id).toBe('1')
  state().navigation.select('flows', { flow: 'a', run: PLAN_RUN })
  expect(flow().run).toBe(null)
  state().navigation.select('flows', {})
  expect([flow().plan, flow().runId]).toEqual([null, null])
  // An event changes a run and the list.
  const failed = { ...run('2', 'a'), outcome: 'fail' } as const
  effects['flows.changed']?.change?.(data, { run: failed })
  state().navigation.select('flows', { flow: 'a' })
  expect([flow().run?.outcome, flow().runs[0]?.outcome]).toEqual(['fail', 'fail'])
})

test('a run that is started is shown, unless another flow was opened meanwhile', async () => {
  const { core, flow, show, state } = start('a')
  void state().flows.start(RUN)
  await core.answer('flows.start', { run: run('1', 'a') })
  expect(flow().run?.id).toBe('1')
  void state().flows.start(RUN)
  show('b')
  await core.answer('flows.start', { run: run('2', 'a') })
  expect([flow().plan?.name, flow().runId]).toEqual(['b', null])
})

test("an account selected for one flow is ignored by a flow that can't run in it", async () => {
  const { core, know, show, state } = start()
  const environments = [
    account('mine', 'test'),
    account('theirs', 'live'),
    account('sandbox-test', 'test'),
  ]
  know('environments.list', {}, { environments })
  state().flows.changeDraft({ environment: 'mine' })
  const begun = (of: FlowPlan) => {
    know('flows.get', { name: of.name }, { flow: of })
    show(of.name)
    void state().flows.start(RUN)
    return core.next('flows.start').input['environment']
  }
  expect(begun(plan('a'))).toBe('mine')
  expect(begun(plan('of-the-sandbox', { sandboxOnly: 'It needs faults.' }))).toBe(undefined)
  expect(begun(plan('live', { mode: 'live' }))).toBe(undefined)
})

test('all flows run one after the other, each with the inputs it has, until they are cancelled', async () => {
  const { core, know, state } = start()
  const flow = (name: string, overrides: Partial<FlowPlan>) => ({
    ...plan(name, overrides),
    steps: 1,
  })
  const input = (name: 'amount' | 'scheme') => ({ name, choices: [], example: '1' })
  const all = [
    flow('purchase', { inputs: [input('amount'), input('scheme')] }),
    flow('card', { inputs: [input('scheme')] }),
    flow('live', { mode: 'live', inputs: [{ ...input('amount'), name: 'location' }] }),
  ]
  know('flows.list', {}, { flows: all })
  state().flows.changeDraft({
    inputs: { amount: ' 12.50 ', scheme: 'visa', currency: '', location: 'London' },
  })
  /** Answers the start of a flow, and returns its name and inputs. */
  const begun = async (id: string) => {
    const { input, answer } = core.next('flows.start')
    const started = flowRunOf({ id, state: 'running', endedAt: null, outcome: null })
    await answer({ run: started })
    await core.answer('flows.run', { run: started })
    return [input['name'], input['literals']]
  }
  const end = (id: string) => {
    know('flows.run', { runId: id }, { run: flowRunOf({ id }) })
    return new Promise((resolve) => setTimeout(resolve, 0))
  }
  void state().flows.runAll(null)
  expect(await begun('1')).toEqual(['purchase', { amount: '12.50', scheme: '"visa"' }])
  expect(state().flows.series).toEqual({ names: ['purchase', 'card'], done: 0, isCancelled: false })
  await end('1')
  expect(await begun('2')).toEqual(['card', { scheme: '"visa"' }])
  expect(state().flows.series?.done).toBe(1)
  await end('2')
  expect(state().flows.series).toBe(null)
  void state().flows.runAll(['card', 'live'])
  // A live flow is the first, because it asks for a confirmation.
  expect(await begun('3')).toEqual(['live', { location: '"London"' }])
  state().flows.cancelAll()
  const cancelled = { run: flowRunOf({ id: '3', state: 'cancelled' }) }
  await core.answer('flows.cancel', cancelled)
  know('flows.run', { runId: '3' }, cancelled)
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect([state().flows.series, core.asked]).toEqual([null, []])
})

test('flows that cannot start do not keep the others from running, unless it is the first', async () => {
  const { core, know, notify, state } = start()
  const all = ['a', 'b', 'c'].map((name) => ({ ...plan(name), steps: 1 }))
  know('flows.list', {}, { flows: all })
  const refused = state()
    .flows.runAll(null)
    .catch((error: unknown) => (error as Error).message)
  await core.next('flows.start').refuse(new AppError('NOT_RUNNING', 'Run it first.'))
  expect([await refused, state().flows.series]).toEqual(['Run it first.', null])
  void state().flows.runAll(null)
  for (const id of ['a', 'b', 'c']) {
    const asked = core.next('flows.start')
    if (id === 'b') {
      await asked.refuse(new AppError('INVALID_INPUT', 'b: The amount is too large.'))
      continue
    }
    await asked.answer({ run: flowRunOf({ id }) })
    await core.answer('flows.run', { run: flowRunOf({ id }) })
  }
  expect(state().flows.series).toBe(null)
  expect(notify).toHaveBeenCalledWith({
    tone: 'bad',
    title: "Couldn't run 1 flow",
    message: 'b: The amount is too large.',
  })
})

test('a resumed run is followed again, whichever step was selected', () => {
  const { flow, know, state } = start('a')
  const paused = flowRunOf({ id: '1', flow: 'a', state: 'paused', steps: [flowRunStepOf({})] })
  know('flows.run', { runId: '1' }, { run: paused })
  state().navigation.select('flows', { flow: 'a', run: '1' })
  state().flows.selectPlace('0')
  void state().flows.steer('pause')
  expect(flow().chosen?.id).toBe('0')
  void state().flows.steer('resume')
  expect(flow().chosen).toBe(null)
})

/** Returns a file whose content changes but whose time only changes when it is read. */
function changing(name: string) {
  let changed = 1
  const file: UserFile = {
    name,
    size: 6,
    async *pieces() {
      yield await Promise.resolve(new TextEncoder().encode(`text ${changed}`))
    },
    changedAt: () => Promise.resolve(changed),
  }
  return { file, change: () => void changed++ }
}

test("an invalid file keeps the open flow; once fixed, it opens without that flow's state", async () => {
  vi.useFakeTimers()
  try {
    const { core, flow, notify, show, state } = start('a')
    const settled = () => vi.advanceTimersByTimeAsync(1)
    const { file, change } = changing('own.json')
    void state().flows.openFile(file)
    await settled()
    void core.next('flows.get').refuse(new Error('It is no flow.'))
    await settled()
    expect([flow().plan?.name, state().flows.fileProblem?.isOpen]).toEqual(['a', false])
    const changed = async () => {
      change()
      await vi.advanceTimersByTimeAsync(1_100)
      return core.next('flows.get')
    }
    const own = { flow: plan('own', { origin: 'own.json' }) }
    void (await changed()).answer(own)
    await settled()
    expect([flow().plan?.name, state().flows.fileProblem]).toEqual(['own', null])
    // An open file reloads on change, and isn't reopened after it was closed.
    void (await changed()).answer(own)
    await settled()
    expect(notify).toHaveBeenCalledWith(expect.objectContaining({ title: 'Flow reloaded' }))
    const again = await changed()
    show('b')
    void again.answer(own)
    await settled()
    expect([flow().plan?.name, state().flows.file]).toEqual(['b', null])
  } finally {
    vi.useRealTimers()
  }
})

test("a file that can't be read is reported and the open flow stays; choosing none changes nothing", async () => {
  const { flow, notify, state } = start('a')
  await state().flows.openFile(Promise.resolve(null))
  expect(notify).not.toHaveBeenCalled()
  await state().flows.openFile(
    Promise.reject(new DOMException('Must be handling a user gesture', 'SecurityError')),
  )
  const message = 'The browser blocked access to the file. Choose it again, or drop it on the page.'
  expect(notify).toHaveBeenCalledWith({ tone: 'bad', title: "Couldn't open the file", message })
  expect(flow().plan?.name).toBe('a')
  const gone = new DOMException('A requested file or directory could not be found', 'NotFoundError')
  const pieces = () => {
    throw gone
  }
  await state().flows.openFile({ name: 'mine.json', size: 2, pieces, changedAt: null })
  expect(state().flows.fileProblem?.message).toBe(
    "Couldn't read the file. It changed, was moved, or is a folder.",
  )
})
