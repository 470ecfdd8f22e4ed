import { expect, test } from 'vitest'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { ReplaySource } from './replay-slice.ts'
import { whereWords } from './replay-dialogs.tsx'

const of = (...hookIds: readonly string[]): ReplaySource => ({
  kind: 'rows',
  rows: hookIds.map((hookId, place) => deliveryRow(place, { hookId })),
})

test.each([
  [of('a'), 'Where to send it?', 'Later replays of this hook go there at once.'],
  [of('a', 'a'), 'Where to send them?', 'Later replays of this hook go there at once.'],
  [of('a', 'b'), 'Where to send them?', 'Later replays of these hooks go there at once.'],
  [{ kind: 'query', query: '' } as const, 'Where to send them?', 'Later replays of these hooks go there at once.'],
])('the question where to speaks of as many as there are', (source, title, description) => {
  expect(whereWords(source)).toEqual({ title, description })
})
