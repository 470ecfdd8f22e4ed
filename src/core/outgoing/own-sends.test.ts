/** How long, of how many, and how often what was passed on is known when it comes back. */
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createPassedOn } from './own-sends.ts'

const request = (signature: string | null) => ({ signature, timestamp: '1', body: Buffer.from('{}') })
const seen = (signature: string | null, body = '{}') => ({ signature, timestamp: '1', bodySha256: hash('sha256', body, 'hex') })

function startMemory() {
  let now = 0
  return {
    passedOn: createPassedOn({ monotonic: () => now }),
    wait: (ms: number) => {
      now += ms
    },
  }
}

test('what was signed anew is known for ten minutes, however often it comes back', () => {
  const { passedOn, wait } = startMemory()
  passedOn.remember(request('ours'), 'a', { signedAnew: true })
  wait(599_999)
  expect([seen('ours'), seen('ours'), seen('another'), seen('ours', '{ }')].map(passedOn.leadsBack)).toEqual([
    'a',
    'a',
    null,
    null,
  ])
  wait(1)
  expect(passedOn.leadsBack(seen('ours'))).toBeNull()
})

test('of what went as it came thirty copies in ten minutes are another sender’s, and no more', () => {
  const { passedOn, wait } = startMemory()
  const rounds = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      passedOn.remember(request('came'), `delivery ${index}`, { signedAnew: false })
      return passedOn.leadsBack(seen('came'))
    })
  expect(rounds(31)).toEqual([...Array.from({ length: 30 }, () => null), 'delivery 0'])
  wait(600_000)
  expect(rounds(31).at(-1)).toBe('delivery 0')
})

test('what has no signature is never known: the next one is like it', () => {
  const { passedOn } = startMemory()
  passedOn.remember(request(null), 'a', { signedAnew: false })
  expect(Array.from({ length: 100 }, () => passedOn.leadsBack(seen(null))).every((known) => known === null)).toBe(true)
})

test('five thousand are known, the newest', () => {
  const { passedOn } = startMemory()
  for (let index = 0; index <= 5_000; index++) passedOn.remember(request(String(index)), `${index}`, { signedAnew: true })
  expect(['0', '1', '5000'].map((signature) => passedOn.leadsBack(seen(signature)))).toEqual([null, '1', '5000'])
})
