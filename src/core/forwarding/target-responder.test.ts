import { expect, test } from 'vitest'
import { deliveryRow, storedTarget } from '../../../test/support/delivery-row.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { EVERYTHING } from '../../shared/query/query.ts'
import { PLAIN_DECISION } from '../receiver/responses.ts'
import { createTargetResponder } from './target-responder.ts'
import { Leases } from './leases.ts'

test("a body above one mebibyte isn't parsed: its hook's rule responds", async () => {
  const responder = createTargetResponder([storedTarget({ answer: 'at-once' })], {
    leases: new Leases(createManualClock()),
    filterOf: () => EVERYTHING,
    isAgreed: () => true,
    findRoute: async ({ routes: [first] }) => first?.targetId ?? null,
    enqueue: () => {
      throw new Error('Nobody else is asked here.')
    },
  })
  const bodyOf = (filler: number) => Buffer.from(JSON.stringify({ filler: 'x'.repeat(filler) }))
  expect(await responder?.(deliveryRow(1), bodyOf(1_000_000))).toEqual(PLAIN_DECISION)
  expect(await responder?.(deliveryRow(1), bodyOf(1_048_576))).toBe(null)
})
