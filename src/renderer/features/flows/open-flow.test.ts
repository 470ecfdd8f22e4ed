import { expect, test } from 'vitest'
import { flowRunOf, flowRunStepOf, savedHandlerOf } from '../../../../test/support/model-values.ts'
import type { FlowRun, FlowRunStep, UnexpectedDelivery } from '../../../shared/model/flow-run.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { defaultPlace, placesOf } from './open-flow.ts'
import { replayTargetOf } from './step-pane.tsx'

const ran = (index: number, outcome: FlowRunStep['outcome']) => flowRunStepOf({ index, outcome })

const unexpectedDelivery: UnexpectedDelivery = {
  deliveryId: 'd9',
  kind: 'duplicate',
  event: null,
  at: '',
  businessAt: '',
  message: '',
  arrived: null,
  response: null,
}
const steps = [ran(0, 'pass'), ran(1, 'pass'), ran(2, 'missing'), ran(3, 'pass')]

test('shows what a paused run did last, otherwise the first failure, otherwise the current step; in a plan the first expectation', () => {
  const places = placesOf(flowRunOf({ steps, strays: [] }))
  const at = (state: FlowRun['state'], current: number) => ({ state, current })
  expect(defaultPlace(places, at('done', 0))?.id).toBe('2')
  expect(defaultPlace(places, at('paused', 2))?.id).toBe('1')
  expect(defaultPlace(places, at('paused', 4))?.id).toBe('3')
  expect(defaultPlace(places.slice(0, 2), at('running', 1))?.id).toBe('1')
  expect(defaultPlace(places.slice(0, 2), null)?.id).toBe('0')
  const plan = [
    ran(0, null),
    flowRunStepOf({ index: 1, outcome: null, expected: 'status = active' }),
  ]
  expect(defaultPlace(placesOf(flowRunOf({ steps: plan, strays: [] })), null)?.id).toBe('1')
  const unexpected = placesOf(flowRunOf({ steps: steps.slice(0, 2), strays: [unexpectedDelivery] }))
  expect(defaultPlace(unexpected, at('done', 0))?.id).toBe('d9')
})

const saved = (name: string, current = false) =>
  savedHandlerOf({ name, url: `http://localhost:3000/${name}`, current })

test("a replay from a step goes to the run's saved handler, then the chosen one, then the run's URL", () => {
  const to = (
    handlerName: string | null,
    handlers: readonly SavedHandler[],
    chosen: string | null = null,
  ) =>
    replayTargetOf(
      { handler: 'http://localhost:9/ran', handlerName },
      { handler: chosen },
      handlers,
    )
  const handlers = [saved('local', true), saved('staging')]
  expect(to('staging', handlers)).toBe('@staging')
  expect(to('deleted', handlers)).toBe('@local')
  expect(to(null, handlers, 'staging')).toBe('@staging')
  expect(to(null, handlers, '')).toBe('http://localhost:9/ran')
})
