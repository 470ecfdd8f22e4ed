import { describe, expect, test } from 'vitest'
import { checkExchange } from '../../../test/support/check-handlers.ts'
import type { CheckAnswer, CheckSettings } from '../../shared/model/check.ts'
import { shownEventTypes } from '../../shared/service/event-type.ts'
import { checkPayload, guessEvents } from '../../shared/service/payload.ts'
import { secretKey } from '../signature/sign.ts'
import { isSignedBy } from '../signature/verify.ts'
import { checkCases } from './cases.ts'
import { selectCases } from './select-cases.ts'
import { judge } from './judge.ts'
import { makePayloads, messageIdOf } from './payloads.ts'
import { createRequestFactory } from './requests.ts'
import type { CaseDefinition } from './case-definition.ts'

const NOW = Date.UTC(2026, 10, 21, 9)
const settings: CheckSettings = {
  target: 'http://127.0.0.1:3000/in',
  registeredUrl: 'https://hooks.example.test/in',
  hookIds: [],
  literals: {},
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

async function factoryFor(seed: number) {
  const payloads = await makePayloads({ seed, now: NOW, events: shownEventTypes })
  const signers = [{ event: null, key, url: settings.registeredUrl, headers: {} }]
  return createRequestFactory({ payloads, settings, signers, otherPrefixes: [], now: () => NOW })
}

function caseOf(name: string): CaseDefinition {
  const [, one] = selectCases([name], [])
  if (one === undefined) throw new Error(name)
  return one
}

test('valid deliveries follow the spec and are signed correctly; forged ones are not signed correctly', async () => {
  const factory = await factoryFor(1)
  for (const one of checkCases.filter(
    ({ group }) => group === 'valid' || group === 'payload' || group === 'forged',
  )) {
    for (const { headers, body, label } of one.requests(factory)) {
      const signature = headers.find(([name]) => name === 'x-service-signature')?.[1] ?? ''
      const timestamp = headers.find(([name]) => name === 'x-service-timestamp')?.[1] ?? ''
      const isRight = isSignedBy({ url: settings.registeredUrl, key }, body, timestamp, signature)
      expect([one.name, label, isRight]).toEqual([
        one.name,
        label,
        one.expectedResponse === 'accept',
      ])
      if (one.expectedResponse !== 'accept') continue
      const [event = null] = guessEvents(body).filter(
        (guess) => one.events?.some((each) => each === guess) ?? true,
      )
      expect([one.name, label, event === null, checkPayload(event, body).failures]).toEqual([
        one.name,
        label,
        false,
        [],
      ])
    }
  }
})

test('the same seed makes the same payloads, another seed makes others', async () => {
  const [a, b, c] = await Promise.all([factoryFor(5), factoryFor(5), factoryFor(6)])
  const bodies = (factory: typeof a) =>
    checkCases.flatMap((one) =>
      one.requests(factory).map(({ body }) => Buffer.from(body).toString()),
    )
  expect(bodies(a)).toEqual(bodies(b))
  const idOf = (factory: typeof a) => messageIdOf(bodies(factory)[0] ?? '')
  expect(idOf(a)).not.toBe(idOf(c))
  const contentOf = ({ payloads }: typeof a) =>
    payloads.of('transaction.auth', '').replace(/"id":"[^"]+"/, '')
  expect(contentOf(a)).not.toBe(contentOf(c))
})

test('requests share an id only where repeating is the case', async () => {
  const factory = await factoryFor(1)
  const ids = checkCases
    .filter(({ group }) => group !== 'duplicates')
    .flatMap((one) => one.requests(factory))
    .flatMap(({ body }) => {
      const text = Buffer.from(body).toString()
      return text.includes('"id":"c4ec0000-') || text.includes('"id": "c4ec0000-')
        ? ((JSON.parse(text) as { id?: string }).id ?? [])
        : []
    })
  expect(ids.length).toBeGreaterThan(20)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
})

test('only the cases for non-ASCII letters contain any, whatever the seed', async () => {
  const found = new Set<string>()
  // Without conversion these seeds have \u2019, \u00df and \u00f6.
  for (const seed of [0, 5, 31]) {
    const factory = await factoryFor(seed)
    for (const one of checkCases)
      for (const { body } of one.requests(factory))
        if (body.some((byte) => byte > 0x7f)) found.add(one.name)
  }
  expect([...found]).toEqual(['unicode', 'split-letter'])
})

test('every event is sent by one case', () => {
  const sent = checkCases.flatMap(({ group, events }) => (group === 'valid' ? (events ?? []) : []))
  expect(sent.toSorted()).toEqual(shownEventTypes.toSorted())
})

test('case names are unique and differ from group names', () => {
  const names = checkCases.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(checkCases.filter(({ group }) => names.includes(group))).toEqual([])
})

const named = (only: string[], skip: string[] = []) =>
  selectCases(only, skip).map(({ name }) => name)

test('selecting cases takes names, groups and patterns, and always includes the first delivery', () => {
  expect(named(['retry', 'speed'])).toEqual([
    'first-delivery',
    'retry',
    'in-time',
    'answers-after-reading',
  ])
  expect(named(['forged'], ['no-*', 's*'])).toEqual([
    'first-delivery',
    'altered-body',
    'wrong-secret',
    'host-url',
    'other-ending',
    'letter-case',
    'other-letters',
  ])
  expect(named([], ['*'])).toEqual(['first-delivery'])
})

describe('a response', () => {
  const says = (name: string, ...got: Partial<CheckAnswer>[]) =>
    judge(
      caseOf(name),
      got.map((one) => checkExchange(one)),
      '200',
    )?.message ?? null

  test.each<[string, Partial<CheckAnswer>, string | null]>([
    ['retry', { status: 200 }, null],
    ['retry', { status: 204 }, 'Your handler returned 204. Only 200 acknowledges'],
    ['retry', { status: 302 }, "Redirects aren't followed"],
    ['retry', { status: null, error: 'It is asleep.' }, 'No response: It is asleep.'],
    ['retry', { status: 200, error: 'It fell asleep.' }, 'then failed: It fell asleep.'],
    ['stale', { status: 401 }, null],
    ['stale', { status: 200 }, 'Your handler accepted this delivery'],
    ['stale', { status: 500 }, 'Only a 4xx status rejects a delivery.'],
    ['stale', { status: 302 }, 'Only a 4xx status rejects a delivery.'],
    ['stale', { status: null, error: 'Gone.' }, 'No response: Gone.'],
    ['answers-after-reading', { early: true }, 'after half of the body'],
    ['answers-after-reading', { early: false }, null],
  ])('to %s of %j', (name, got, complaint) => {
    expect(says(name, got)).toEqual(complaint === null ? null : expect.stringContaining(complaint))
  })

  test('may be any 2xx if the environment accepts any 2xx', () => {
    expect(judge(caseOf('retry'), [checkExchange({ status: 204 })], '2xx')).toBeNull()
  })

  test('to an unusual request may be a rejection if the endpoint survives', () => {
    expect(says('empty-body', { status: 400 }, { status: 200 })).toBeNull()
    expect(says('empty-body', { status: 400 }, { status: 401 })).toContain('rejected')
  })

  test("may be 501 only to a method that the server doesn't know", () => {
    const get = checkExchange({ status: 501 }, { method: 'GET' })
    expect(judge(caseOf('other-method'), [get, checkExchange({})], '200')).toBeNull()
    expect(says('empty-body', { status: 501 }, { status: 200 })).toContain(
      'Delivery: your handler returned 501',
    )
  })

  test('is described with its event name spelled exactly', () => {
    const refused = checkExchange({ status: 401 }, { label: 'transaction.auth' })
    expect(judge(caseOf('purchases'), [refused, refused], '200')?.message).toMatch(
      /^transaction\.auth: your handler rejected this delivery/,
    )
  })

  test('above 5 s passes with a warning', () => {
    const one = caseOf('in-time')
    expect(one.warn?.([checkExchange({ ms: 4_900 })])).toBeNull()
    expect(one.warn?.([checkExchange({ ms: 40 }), checkExchange({ ms: 6_200 })])).toContain('6.2 s')
  })
})
