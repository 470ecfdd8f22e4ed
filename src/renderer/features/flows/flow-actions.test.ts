import { expect, test } from 'vitest'
import { flowRunStepOf, savedHandlerOf } from '../../../../test/support/model-values.ts'
import type { FlowActor } from '../../../shared/model/flow.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { besideActor, replayTargetOf } from './flow-actions.ts'
import type { FlowPlace } from './places.ts'

function place(index: number, from: FlowActor, to: FlowActor): FlowPlace {
  return { id: String(index), kind: 'step', step: flowRunStepOf({ index, from, to }) }
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

const saved = (name: string, current = false) =>
  savedHandlerOf({ name, url: `http://localhost:3000/${name}`, current })

test("a replay from a step goes to the run's saved handler, then the current one, then to a typed URL", () => {
  const to = (
    run: { readonly handler: string | null; readonly handlerName: string | null } | null,
    handlers: readonly SavedHandler[],
    url: string | null = null,
  ) => replayTargetOf({ flows: { run, draft: { url } }, core: { handlers } })
  const both = [saved('local', true), saved('staging')]
  expect(to({ handler: 'http://localhost:3000/staging', handlerName: 'staging' }, both)).toBe(
    '@staging',
  )
  expect(to({ handler: 'localhost:3000/staging', handlerName: null }, both)).toBe('@staging')
  expect(to({ handler: 'http://localhost:9/typed', handlerName: null }, both)).toBe('@local')
  expect(to({ handler: 'http://localhost:9/deleted', handlerName: 'deleted' }, both)).toBe('@local')
  expect(to({ handler: null, handlerName: null }, both)).toBe('@local')
  expect(to({ handler: 'http://localhost:9/typed', handlerName: null }, [saved('staging')])).toBe(
    'http://localhost:9/typed',
  )
  expect(to({ handler: null, handlerName: null }, [], 'http://localhost:9/form')).toBe(
    'http://localhost:9/form',
  )
  expect(to(null, [])).toBeNull()
})
