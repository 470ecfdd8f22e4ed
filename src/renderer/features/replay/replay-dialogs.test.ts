import { expect, test } from 'vitest'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { ReplaySource } from './replay-state.ts'
import { targetDialogWords } from './replay-dialogs.tsx'

const of = (...hookIds: readonly string[]): ReplaySource => ({
  kind: 'rows',
  rows: hookIds.map((hookId, place) => deliveryRow(place, { hookId })),
})

test.each([
  [of('a'), 'Choose where to send it', 'Later replays for this hook go there directly.'],
  [of('a', 'a'), 'Choose where to send them', 'Later replays for this hook go there directly.'],
  [of('a', 'b'), 'Choose where to send them', 'Later replays for these hooks go there directly.'],
  [
    { kind: 'query', query: '' } as const,
    'Choose where to send them',
    'Later replays for these hooks go there directly.',
  ],
])('the target dialog matches the number of deliveries and hooks', (source, title, description) => {
  expect(targetDialogWords(source)).toEqual({ title, description })
})
