import { expect, test } from 'vitest'
import { flowRunOf, flowRunStepOf, savedHandlerOf } from '../../../../test/support/model-values.ts'
import type { FlowRunStep, FlowStray } from '../../../shared/model/flow.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { replayTargetOf } from './commands.ts'
import { placesOf, shownPlace } from './places.ts'

const ran = (index: number, outcome: FlowRunStep['outcome']) => flowRunStepOf({ index, outcome })

const stray: FlowStray = {
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

test('shows the selected place, otherwise the first failure, otherwise the current step', () => {
  const places = placesOf(flowRunOf({ steps, strays: [] }))
  expect(shownPlace(places, '3', 0)?.id).toBe('3')
  expect(shownPlace(places, null, 0)?.id).toBe('2')
  expect(shownPlace(places.slice(0, 2), null, 1)?.id).toBe('1')
  const unexpected = placesOf(flowRunOf({ steps: steps.slice(0, 2), strays: [stray] }))
  expect(shownPlace(unexpected, null, 0)?.id).toBe('d9')
})

const saved = (name: string, current = false) =>
  savedHandlerOf({ name, url: `http://localhost:3000/${name}`, current })

test("a replay from a step goes to the run's saved handler, then the chosen one, then the run's URL", () => {
  const to = (
    handlerName: string | null,
    handlers: readonly SavedHandler[],
    chosen: string | null = null,
  ) =>
    replayTargetOf({
      flows: {
        run: { handler: 'http://localhost:9/ran', handlerName },
        draft: { handler: chosen },
      },
      core: { handlers },
    })
  const both = [saved('local', true), saved('staging')]
  expect(to('staging', both)).toBe('@staging')
  expect(to('deleted', both)).toBe('@local')
  expect(to(null, both, 'staging')).toBe('@staging')
  expect(to(null, both, '')).toBe('http://localhost:9/ran')
})
