import { expect, test } from 'vitest'
import type { FlowActor } from '../../../shared/model/flow.ts'
import type { FlowPlanStep } from '../../../shared/model/flow-run.ts'
import { besideActor } from './flow-actions.ts'
import type { FlowPlace } from './places.ts'

function place(index: number, from: FlowActor, to: FlowActor): FlowPlace {
  const step: FlowPlanStep = {
    index,
    name: `step-${index}`,
    kind: 'delivery',
    actor: from,
    from,
    to,
    title: '',
    event: null,
    expected: null,
    lastsMs: null,
    afterMs: null,
  }
  return { id: String(index), kind: 'step', step }
}

const places = [
  place(0, 'cardholder', 'service'),
  place(1, 'service', 'receiver'),
  place(2, 'receiver', 'handler'),
  place(3, 'service', 'receiver'),
]
const go = (at: number, from: FlowActor, way: -1 | 1) => {
  const shown = places[at]
  const found = shown === undefined ? null : besideActor(places, shown, from, way)
  return found === null ? null : [found.actor, found.place.id]
}

test('the next participant is selected in the same step, or in the nearest one, preferring later steps', () => {
  expect(go(1, 'receiver', 1)).toEqual(['handler', '2'])
  expect(go(1, 'receiver', -1)).toEqual(['service', '1'])
  expect(go(2, 'receiver', -1)).toEqual(['service', '3'])
  expect(go(1, 'service', -1)).toEqual(['cardholder', '0'])
  expect([go(0, 'cardholder', -1), go(2, 'handler', 1)]).toEqual([null, null])
})
