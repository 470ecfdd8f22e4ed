import { expect, test } from 'vitest'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { FirstWalk } from '../../../shared/model/first-walk.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { factsOf } from './tour-facts.ts'

test('a delivery that only a file says is valid takes the tour no further', () => {
  const hook = { id: 'made', event: 'transaction.auth', programId: 'p', url: '' } as unknown as Hook
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
