import { expect, test } from 'vitest'
import { flowRunStepOf } from '../../../../test/support/model-values.ts'
import type { FlowRunStep, FlowStray } from '../../../shared/model/flow.ts'
import { deliveryBefore, shownPlace, type FlowPlace } from './places.ts'

const ran = (
  index: number,
  outcome: FlowRunStep['outcome'],
  deliveryId: string | null,
): FlowPlace => ({
  id: String(index),
  kind: 'step',
  step: flowRunStepOf({ index, outcome, deliveryId }),
})

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
const places = [
  ran(0, 'pass', 'd1'),
  ran(1, 'pass', 'd1'),
  ran(2, 'missing', null),
  ran(3, 'pass', 'd2'),
]
const strayPlace: FlowPlace = { id: 'd9', kind: 'stray', stray }

test('shows the selected place, otherwise the first failure, otherwise the current step', () => {
  expect(shownPlace(places, '3', 0)?.id).toBe('3')
  expect(shownPlace(places, null, 0)?.id).toBe('2')
  expect(shownPlace(places.slice(0, 2), null, 1)?.id).toBe('1')
  expect(shownPlace([...places.slice(0, 2), strayPlace], null, 0)?.id).toBe('d9')
})

test('the previous delivery is a different one, even if several steps share a delivery', () => {
  const [first, second, , last] = places
  expect(first && deliveryBefore(places, first)).toBeNull()
  expect(second && deliveryBefore(places, second)).toBeNull()
  expect(last && deliveryBefore(places, last)).toBe('d1')
  expect(deliveryBefore([...places, strayPlace], strayPlace)).toBe('d2')
})
