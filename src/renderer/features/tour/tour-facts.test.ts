import { expect, test } from 'vitest'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { hookOf } from '../../../../test/support/model-values.ts'
import type { FirstWalk } from '../../../shared/model/first-walk.ts'
import { factsOf } from './tour-facts.ts'

test("a delivery that only a file calls valid doesn't advance the tour", () => {
  const hook = hookOf({ id: 'made', programId: 'p', url: '' })
  const walk: FirstWalk = {
    station: 'payment',
    shown: true,
    finished: false,
    after: 0,
    programId: null,
    hookIds: ['made'],
    leapMs: null,
  }
  const authOf = (verifiedHere: boolean) => {
    const rows = [deliveryRow(1, { hookId: 'made', event: 'transaction.auth', verifiedHere })]
    return factsOf(walk, { hooks: [hook], status: null, rows, seen: [], othersWait: 0 }).auth?.id
  }
  expect([authOf(true), authOf(false)]).toEqual(['id-1', undefined])
})
