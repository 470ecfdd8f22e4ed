import { expect, test, vi } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { environmentOf, flowPlanOf, flowRunOf } from '../../../../test/support/model-values.ts'
import type { FlowPlan, FlowRun } from '../../../shared/model/flow.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { UserFile } from '../../state/user-file.ts'

const plan = (name: string, more: Partial<FlowPlan> = {}) => flowPlanOf({ name, ...more })
const run = (id: string, flow: string) => flowRunOf({ id, flow, startedAt: id })
const account = (name: string, mode: 'test' | 'live') => environmentOf({ name, mode })

function start(runs: readonly FlowRun[] = []) {
  const window = openAskedWindow()
  window.store.setState(({ flows }) => ({ flows: { ...flows, runs } }))
  return { ...window, opened: () => window.state().flows.opened?.plan.name ?? null }
}

test("a flow closed while loading stays closed, and its run isn't shown in another flow", async () => {
  const { core, state, opened } = start([run('a-1', 'a')])
  void state().flows.open('a')
  await core.answer('flows.get', { flow: plan('a') })
  const ofA = core.next('flows.run')
  void state().flows.open('b')
  await core.answer('flows.get', { flow: plan('b') })
  await ofA.answer({ run: run('a-1', 'a') })
  expect([opened(), state().flows.run]).toEqual(['b', null])
  void state().flows.open('c')
  expect(state().flows.leave()).toBe(true)
  await core.answer('flows.get', { flow: plan('c') })
  expect(opened()).toBe(null)
})

test('the run selected last is shown, and a new run replaces it', async () => {
  const { core, state } = start()
  void state().flows.open('a')
  await core.answer('flows.get', { flow: plan('a') })
  void state().flows.showRun('1')
  void state().flows.showRun('2')
  const [first, second] = [core.next('flows.run'), core.next('flows.run')]
  await second.answer({ run: run('2', 'a') })
  await first.answer({ run: run('1', 'a') })
  expect(state().flows.run?.id).toBe('2')
  void state().flows.showRun('1')
  const late = core.next('flows.run')
  void state().flows.start({ paused: false, from: 0, step: false, allowHosts: [], live: false })
  await core.answer('flows.start', { run: run('3', 'a') })
  await late.answer({ run: run('1', 'a') })
  expect(state().flows.run?.id).toBe('3')
})

test('a run that starts after its flow was closed continues in the list and is shown in no other flow', async () => {
  const { core, state } = start()
  void state().flows.open('a')
  await core.answer('flows.get', { flow: plan('a') })
  void state().flows.start({ paused: false, from: 0, step: false, allowHosts: [], live: false })
  void state().flows.open('b')
  await core.answer('flows.get', { flow: plan('b') })
  await core.answer('flows.start', { run: run('1', 'a') })
  expect(state().flows.run).toBe(null)
  expect(state().flows.runs?.map(({ id }) => id)).toEqual(['1'])
})

test("an account selected for one flow is ignored by a flow that can't run in it", async () => {
  const { core, know, state } = start()
  const environments = [
    account('mine', 'test'),
    account('theirs', 'live'),
    account('sandbox-test', 'test'),
  ]
  know('environments.list', {}, { environments })
  state().flows.changeDraft({ environment: 'mine' })
  const begun = async (of: FlowPlan) => {
    void state().flows.open(of.name)
    await core.answer('flows.get', { flow: of })
    void state().flows.start({ paused: false, from: 0, step: false, allowHosts: [], live: false })
    return core.next('flows.start').input['environment']
  }
  expect(await begun(plan('a'))).toBe('mine')
  expect(await begun(plan('of-the-sandbox', { sandboxOnly: 'It needs faults.' }))).toBe(undefined)
  expect(await begun(plan('live', { mode: 'live' }))).toBe(undefined)
})

test('all flows run one after the other, each with the inputs it has, until they are cancelled', async () => {
  const { core, store, state } = start()
  const flow = (name: string, more: Partial<FlowPlan>) => ({ ...plan(name, more), steps: 1 })
  const input = (name: 'amount' | 'scheme') => ({ name, choices: [], example: '1' })
  const all = [
    flow('purchase', { inputs: [input('amount'), input('scheme')] }),
    flow('card', { inputs: [input('scheme')] }),
    flow('live', { mode: 'live', inputs: [{ ...input('amount'), name: 'location' }] }),
  ]
  store.setState(({ flows }) => ({ flows: { ...flows, all } }))
  state().flows.changeDraft({
    inputs: { amount: ' 12.50 ', scheme: 'visa', currency: '', location: 'London' },
  })
  const consent = { allowHosts: [], live: false }
  /** Answers the start of a flow, and returns its name and inputs. */
  const begun = async (id: string) => {
    const { input, answer } = core.next('flows.start')
    const started = flowRunOf({ id, state: 'running', endedAt: null, outcome: null })
    await answer({ run: started })
    await core.answer('flows.run', { run: started })
    return [input['name'], input['literals']]
  }
  const end = (id: string) => {
    state().flows.changed(flowRunOf({ id }))
    return new Promise((resolve) => setTimeout(resolve, 0))
  }
  void state().flows.runAll(null, consent)
  expect(await begun('1')).toEqual(['purchase', { amount: '12.50', scheme: '"visa"' }])
  expect(state().flows.series).toEqual({ names: ['purchase', 'card'], done: 0, isCancelled: false })
  await end('1')
  expect(await begun('2')).toEqual(['card', { scheme: '"visa"' }])
  expect(state().flows.series?.done).toBe(1)
  await end('2')
  expect(state().flows.series).toBe(null)
  void state().flows.runAll(['card', 'live'], consent)
  // A live flow is the first, because it asks for a confirmation.
  expect(await begun('3')).toEqual(['live', { location: '"London"' }])
  state().flows.cancelAll()
  await Promise.resolve()
  await core.answer('flows.cancel', { run: flowRunOf({ id: '3', state: 'cancelled' }) })
  expect([state().flows.series, core.asked]).toEqual([null, []])
})

test('flows that cannot start do not keep the others from running, unless it is the first', async () => {
  const { core, notify, store, state } = start()
  const all = ['a', 'b', 'c'].map((name) => ({ ...plan(name), steps: 1 }))
  store.setState(({ flows }) => ({ flows: { ...flows, all } }))
  const refused = state()
    .flows.runAll(null, { allowHosts: [], live: false })
    .catch((error: unknown) => (error as Error).message)
  await core.next('flows.start').refuse(new AppError('NOT_RUNNING', 'Run it first.'))
  expect([await refused, state().flows.series]).toEqual(['Run it first.', null])
  void state().flows.runAll(null, { allowHosts: [], live: false })
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

test('a resumed run is followed again, whichever step was selected', async () => {
  const { core, state } = start()
  void state().flows.open('a')
  await core.answer('flows.get', { flow: plan('a') })
  void state().flows.showRun('1')
  await core.answer('flows.run', { run: flowRunOf({ id: '1', flow: 'a', state: 'paused' }) })
  state().flows.selectPlace('0')
  void state().flows.steer('pause')
  expect(state().flows.place).toBe('0')
  void state().flows.steer('resume')
  expect(state().flows.place).toBe(null)
})

/** A file that changes without looking different until its time is read. */
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
    const { core, state, opened } = start()
    const settled = () => vi.advanceTimersByTimeAsync(1)
    void state().flows.open('a')
    void core.answer('flows.get', { flow: plan('a') })
    await settled()
    void state().flows.showRun('a-1')
    void core.answer('flows.run', { run: run('a-1', 'a') })
    await settled()
    const { file, change } = changing('own.json')
    void state().flows.openFile(file)
    await settled()
    void core.next('flows.get').refuse(new Error('It is no flow.'))
    await settled()
    expect([opened(), state().flows.fileProblem?.isOpen, state().flows.run?.id]).toEqual([
      'a',
      false,
      'a-1',
    ])
    change()
    await vi.advanceTimersByTimeAsync(1_100)
    void core.answer('flows.get', { flow: plan('own', { origin: 'own.json' }) })
    await settled()
    expect([opened(), state().flows.fileProblem, state().flows.run]).toEqual(['own', null, null])
    // An open file reloads on change, and isn't reopened after it was closed.
    change()
    await vi.advanceTimersByTimeAsync(1_100)
    const again = core.next('flows.get')
    state().flows.leave()
    void again.answer({ flow: plan('own', { origin: 'own.json' }) })
    await settled()
    expect(opened()).toBe(null)
  } finally {
    vi.useRealTimers()
  }
})

test("a file that can't be read is reported and the open flow stays; choosing none changes nothing", async () => {
  const { core, notify, state, opened } = start()
  void state().flows.open('a')
  await core.answer('flows.get', { flow: plan('a') })
  await state().flows.openFile(Promise.resolve(null))
  expect(notify).not.toHaveBeenCalled()
  await state().flows.openFile(
    Promise.reject(new DOMException('Must be handling a user gesture', 'SecurityError')),
  )
  const message = 'The browser blocked access to the file. Choose it again, or drop it on the page.'
  expect(notify).toHaveBeenCalledWith({ tone: 'bad', title: "Couldn't open the file", message })
  expect(opened()).toBe('a')
  const gone = new DOMException('A requested file or directory could not be found', 'NotFoundError')
  const pieces = () => {
    throw gone
  }
  await state().flows.openFile({ name: 'mine.json', size: 2, pieces, changedAt: null })
  expect(state().flows.fileProblem?.message).toBe(
    "Couldn't read the file. It changed, was moved, or is a folder.",
  )
})
