import { expect, test } from 'vitest'
import { deliveryRow, storedTarget } from '../../../test/support/delivery-row.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { BLANK_DELIVERY } from '../../shared/model/delivery.ts'
import type { SearchedDelivery } from '../../shared/query/fields.ts'
import { readQuery } from '../../shared/query/parse.ts'
import { PLAIN_DECISION } from '../receiver/intake.ts'
import type { StoredTarget } from '../store/forward.ts'
import { createAnswerer, createClaims } from './forward-answers.ts'

function deliveryOf(body: string): SearchedDelivery {
  return { ...BLANK_DELIVERY, ...deliveryRow(1), body: Buffer.from(body) }
}

test("a body above one mebibyte isn't parsed: its hook's rule responds", async () => {
  const never = () => {
    throw new Error('Nobody else is asked here.')
  }
  const routeOf = ({ settings }: StoredTarget) => readQuery(settings.query, { now: 0, hooks: [] })
  const target = storedTarget({ query: 'amount:<0', answer: 'at-once' })
  const answerer = createAnswerer([target], {
    claims: createClaims(createManualClock()),
    routeOf,
    isAgreed: () => true,
    enqueue: never,
  })
  const bodyOf = (filler: number) => JSON.stringify({ amount: -1, filler: 'x'.repeat(filler) })
  expect(await answerer?.(deliveryOf(bodyOf(1_000_000)))).toEqual(PLAIN_DECISION)
  expect(answerer?.(deliveryOf(bodyOf(1_048_576)))).toBe(null)
})
