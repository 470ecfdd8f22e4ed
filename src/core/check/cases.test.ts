import { describe, expect, test } from 'vitest'
import type { CheckAnswer, CheckExchange, CheckSettings } from '../../shared/model/check.ts'
import { shownEventTypes } from '../../shared/service/event-type.ts'
import { checkPayload, guessEvents } from '../../shared/service/payload.ts'
import { secretKey } from '../signature/sign.ts'
import { matches } from '../signature/verify.ts'
import { createBench, type CheckCase } from './bench.ts'
import { checkCases, selectCases } from './cases/all.ts'
import { judge } from './judge.ts'
import { makePayloads } from './payloads.ts'

const NOW = Date.UTC(2026, 10, 21, 9)
const settings: CheckSettings = {
  target: 'http://127.0.0.1:3000/in',
  registeredUrl: 'https://hooks.example.test/in',
  hookId: null,
  prefix: 'service',
  ack: '200',
  headerNames: [],
  events: [...shownEventTypes],
  only: [],
  skip: [],
  rate: 10,
  seed: 1,
  live: true,
  targetCa: null,
}
const key = secretKey('right')

async function benchFor(seed: number) {
  const payloads = await makePayloads({ seed, now: NOW, events: shownEventTypes })
  return createBench({ payloads, settings, key, customHeaders: {}, now: () => NOW })
}

function caseOf(name: string): CheckCase {
  const [, one] = selectCases([name], [])
  if (one === undefined) throw new Error(name)
  return one
}

const exchange = (got: Partial<CheckAnswer>): CheckExchange => ({
  sent: { label: 'delivery', method: 'POST', url: '', signedUrl: '', headers: [], body: '', bodySize: 0 },
  got: { status: 200, ms: 3, errorKind: null, error: null, headers: [], body: '', early: false, ...got },
})

test('what is genuine is what the interface says, rightly signed; what is forged is not signed rightly', async () => {
  const bench = await benchFor(1)
  for (const one of checkCases.filter(({ group }) => group === 'genuine' || group === 'payload' || group === 'forged')) {
    for (const { headers, body, label } of one.requests(bench)) {
      const signature = headers.find(([name]) => name === 'x-service-signature')?.[1] ?? ''
      const timestamp = headers.find(([name]) => name === 'x-service-timestamp')?.[1] ?? ''
      const isRight = matches({ hookId: '', url: settings.registeredUrl, key }, body, timestamp, signature)
      expect([one.name, label, isRight]).toEqual([one.name, label, one.wanted === 'accept'])
      if (one.wanted !== 'accept') continue
      const [event = null] = guessEvents(body).filter((guess) => one.events?.some((each) => each === guess) ?? true)
      expect([one.name, label, event === null, checkPayload(event, body).failures]).toEqual([one.name, label, false, []])
    }
  }
})

test('the same seed makes the same payloads, another one others', async () => {
  const [a, b, c] = await Promise.all([benchFor(5), benchFor(5), benchFor(6)])
  const bodies = (bench: typeof a) =>
    checkCases.flatMap((one) => one.requests(bench).map(({ body }) => Buffer.from(body).toString()))
  expect(bodies(a)).toEqual(bodies(b))
  expect(bodies(a)).not.toEqual(bodies(c))
})

test('letters beyond ASCII are in the case about them and in no other, whatever the seed', async () => {
  const found = new Set<string>()
  for (let seed = 0; seed < 4; seed += 1) {
    const bench = await benchFor(seed)
    for (const one of checkCases)
      for (const { body } of one.requests(bench)) if (body.some((byte) => byte > 0x7f)) found.add(one.name)
  }
  expect([...found]).toEqual(['unicode'])
})

test('names of cases are all different, and none is the name of a group', () => {
  const names = checkCases.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(checkCases.filter(({ group }) => names.includes(group))).toEqual([])
})

describe('which cases are run', () => {
  const named = (only: string[], skip: string[] = []) => selectCases(only, skip).map(({ name }) => name)

  test('names, groups and patterns; the first delivery always', () => {
    expect(named(['retry', 'speed'])).toEqual(['first-delivery', 'retry', 'in-time', 'answers-after-reading'])
    expect(named(['forged'], ['no-*', 's*'])).toEqual(['first-delivery', 'altered-body', 'wrong-secret', 'host-url'])
    expect(named([], ['*'])).toEqual(['first-delivery'])
  })
})

describe('an answer', () => {
  const says = (name: string, ...got: Partial<CheckAnswer>[]) => judge(caseOf(name), got.map(exchange), '200')?.message ?? null

  test.each<[string, Partial<CheckAnswer>, string | null]>([
    ['retry', { status: 200 }, null],
    ['retry', { status: 204 }, 'Your handler returned 204. Only 200 acknowledges'],
    ['retry', { status: 302 }, "Redirects aren't followed"],
    ['retry', { status: null, error: 'It is asleep.' }, 'No response: It is asleep.'],
    ['stale', { status: 401 }, null],
    ['stale', { status: 200 }, 'Your handler accepted this delivery'],
    ['stale', { status: 500 }, 'Only a 4xx status rejects a delivery.'],
    ['stale', { status: 302 }, 'Only a 4xx status rejects a delivery.'],
    ['stale', { status: null, error: 'Gone.' }, 'No response: Gone.'],
    ['answers-after-reading', { early: true }, 'after half of the body'],
    ['answers-after-reading', { early: false }, null],
  ])('to %s of %j', (name, got, complaint) => {
    expect(says(name, got)).toEqual(complaint === null ? null : (expect.stringContaining(complaint) as string))
  })

  test('that did not come is told with its reason, in one sentence', () => {
    expect(says('retry', { status: null, error: 'It is asleep.' })).toMatch(/It is asleep\.$/)
    expect(says('retry', { status: 200, error: 'It fell asleep.' })).toMatch(/then failed: It fell asleep\.$/)
  })

  test('of an environment that takes any 2xx may be any', () => {
    expect(judge(caseOf('retry'), [exchange({ status: 204 })], '2xx')).toBeNull()
  })

  test('to what is odd may be a refusal, if the endpoint lives on', () => {
    expect(says('empty-body', { status: 400 }, { status: 200 })).toBeNull()
    expect(says('empty-body', { status: 400 }, { status: null, error: 'Gone.' })).toContain('Gone.')
  })

  test('to a method that the server does not know may be 501, and to nothing else', () => {
    const get = { ...exchange({ status: 501 }), sent: { ...exchange({}).sent, method: 'GET' } }
    expect(judge(caseOf('other-method'), [get, exchange({})], '200')).toBeNull()
    expect(says('empty-body', { status: 501 }, { status: 200 })).toContain('Delivery: your handler returned 501')
  })

  test('is told with the name of its event as it is written', () => {
    const refused = { ...exchange({ status: 401 }), sent: { ...exchange({}).sent, label: 'transaction.auth' } }
    expect(judge(caseOf('purchases'), [refused, refused], '200')?.message).toMatch(
      /^transaction\.auth: your handler rejected this delivery/,
    )
  })

  test('above 5 s passes with a warning', () => {
    const one = caseOf('in-time')
    expect(one.warn?.([exchange({ ms: 4_900 })])).toBeNull()
    expect(one.warn?.([exchange({ ms: 40 }), exchange({ ms: 6_200 })])).toContain('6.2 s')
  })
})
