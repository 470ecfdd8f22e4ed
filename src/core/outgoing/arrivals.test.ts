import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createArrivals } from './own-sends.ts'

const request = (signature: string) => ({ signature, timestamp: '1', body: Buffer.from('{}') })
const seen = (signature: string) => ({
  signature,
  timestamp: '1',
  bodySha256: hash('sha256', '{}', 'hex'),
})

test("an attempt learns which delivery it became; an attempt that didn't arrive learns nothing", () => {
  const arrivals = createArrivals()
  const [endOne, endTwo] = [arrivals.expect(request('one')), arrivals.expect(request('two'))]
  arrivals.arrived(seen('one'), 'a')
  arrivals.arrived(seen('of somebody else'), 'b')
  expect([endOne(), endTwo()]).toEqual(['a', null])
})

test('two identical attempts each get their own delivery in order, even if the first has ended', () => {
  const arrivals = createArrivals()
  const [endFirst, endSecond] = [arrivals.expect(request('same')), arrivals.expect(request('same'))]
  arrivals.arrived(seen('same'), 'a')
  expect(endFirst()).toBe('a')
  arrivals.arrived(seen('same'), 'b')
  expect(endSecond()).toBe('b')
})

test('an ended attempt is forgotten', () => {
  const arrivals = createArrivals()
  arrivals.expect(request('one'))()
  arrivals.arrived(seen('one'), 'late')
  expect(arrivals.expect(request('one'))()).toBeNull()
})
