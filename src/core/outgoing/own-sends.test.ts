import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createArrivals, createForwardedMemory } from './own-sends.ts'

const request = (signature: string | null) => ({
  signature,
  timestamp: '1',
  body: Buffer.from('{}'),
})
const seen = (signature: string | null, body = '{}') => ({
  signature,
  timestamp: '1',
  bodySha256: hash('sha256', body, 'hex'),
})

function startMemory() {
  let now = 0
  return {
    forwarded: createForwardedMemory({ monotonic: () => now }),
    wait: (ms: number) => {
      now += ms
    },
  }
}

test('a re-signed delivery is recognized for ten minutes, however often it returns', () => {
  const { forwarded, wait } = startMemory()
  forwarded.remember(request('ours'), 'a', { signedAnew: true })
  wait(599_999)
  expect(
    [seen('ours'), seen('ours'), seen('another'), seen('ours', '{ }')].map(forwarded.takeReturned),
  ).toEqual(['a', 'a', null, null])
  wait(1)
  expect(forwarded.takeReturned(seen('ours'))).toBeNull()
})

test("of an unchanged delivery thirty copies in ten minutes are recognized; more are another sender's", () => {
  const { forwarded, wait } = startMemory()
  const rounds = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      forwarded.remember(request('came'), `delivery ${index}`, { signedAnew: false })
      return forwarded.takeReturned(seen('came'))
    })
  expect(rounds(31)).toEqual([...Array.from({ length: 30 }, () => null), 'delivery 0'])
  wait(600_000)
  expect(rounds(31).at(-1)).toBe('delivery 0')
})

test('a request without a signature is never recognized, because the next one may be identical', () => {
  const { forwarded } = startMemory()
  forwarded.remember(request(null), 'a', { signedAnew: false })
  expect(
    Array.from({ length: 100 }, () => forwarded.takeReturned(seen(null))).every(
      (known) => known === null,
    ),
  ).toBe(true)
})

test('the latest five thousand are recognized', () => {
  const { forwarded } = startMemory()
  for (let index = 0; index <= 5_000; index++)
    forwarded.remember(request(String(index)), `${index}`, { signedAnew: true })
  expect(['0', '1', '5000'].map((signature) => forwarded.takeReturned(seen(signature)))).toEqual([
    null,
    '1',
    '5000',
  ])
})

test('an attempt learns which delivery it became until it ends, identical ones in order', () => {
  const arrivals = createArrivals()
  const [one, other, twin] = ['one', 'other', 'one'].map((name) =>
    arrivals.expectDelivery(request(name)),
  )
  arrivals.arrived(seen('one'), 'a')
  arrivals.arrived(seen("somebody else's"), 'b')
  expect([one?.(), other?.()]).toEqual(['a', null])
  arrivals.arrived(seen('one'), 'c')
  expect(twin?.()).toBe('c')
  const next = arrivals.expectDelivery(request('other'))
  arrivals.arrived(seen('other'), 'd')
  expect(next()).toBe('d')
})
