import { beforeAll, expect, test } from 'vitest'
import { startFlowFixture, type FlowFixture } from '../../../test/support/flow-fixture.ts'

let fixture: FlowFixture
beforeAll(async () => {
  fixture = await startFlowFixture()
})

const activeHooks = () => fixture.hooks.list().filter(({ status }) => status === 'active')

test("a run that can't start leaves no active hooks, and the next run can use them all", async () => {
  let registered = 0
  const starting = fixture.start({ name: 'purchase-visa' }, (service) => ({
    ...service,
    async registerHook(hook) {
      if (++registered === 2) throw new Error('The disk is full.')
      await service.registerHook(hook)
    },
  }))
  await expect(starting).rejects.toThrow('The disk is full.')
  expect(activeHooks()).toEqual([])
  const left = fixture.hooks.list().map(({ id }) => id)
  expect((await fixture.run({ name: 'purchase-visa' })).outcome).toBe('pass')
  const again = fixture.hooks.list()
  expect(again.map(({ id }) => id)).toEqual(expect.arrayContaining(left))
  expect(new Set(again.map(({ event }) => event)).size).toBe(again.length)
})

test('a run whose service fails to close still ends, is stored, and releases its hooks', async () => {
  const run = await fixture.run({ name: 'card-linked' }, (service) => ({
    ...service,
    async close() {
      await service.close()
      throw new Error('It does not close.')
    },
  }))
  expect([run.state, run.outcome]).toEqual(['done', 'pass'])
  expect(fixture.bugs).toHaveLength(1)
  expect(
    await fixture.flows.cancel(run.id).catch((error: unknown) => (error as { code?: string }).code),
  ).toBe('NOT_FOUND')
  expect((await fixture.flows.run(run.id)).state).toBe('done')
  expect(activeHooks()).toEqual([])
})

test('while capture is paused no run starts, and the error says how to resume', async () => {
  fixture.pauseCapture(true)
  await expect(fixture.start({ name: 'card-linked' })).rejects.toThrow('Capture is paused')
  expect(activeHooks()).toEqual([])
  fixture.pauseCapture(false)
  expect((await fixture.run({ name: 'card-linked' })).outcome).toBe('pass')
})

// Keep this last: it closes the flows.
test("a run that is starting during shutdown doesn't start", async () => {
  const starting = fixture.start({ name: 'card-linked', paused: true })
  const refused = starting.then(
    () => null,
    (error: unknown) => (error as { code?: string }).code,
  )
  await fixture.flows.close()
  const runs = await fixture.flows.runs({ flow: undefined, limit: 10 })
  expect(await refused).toBe('NOT_RUNNING')
  expect(runs.filter(({ state }) => state === 'running' || state === 'paused')).toEqual([])
  expect(activeHooks()).toEqual([])
})
