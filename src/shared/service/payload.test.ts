import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { samplePayloads } from '../../../test/support/sample-payloads.ts'
import { eventTypes, shownEventTypes, type ShownEventType } from './event-type.ts'
import { observedIn } from './observed.ts'
import { checkPayload, closestEvent, describePayload, guessEvents } from './payload.ts'
import { times } from '../../../test/support/long-form.ts'

type Json = Record<string, unknown>

function sample(event: ShownEventType): Json {
  return JSON.parse(JSON.stringify(samplePayloads[event])) as Json
}

/** Copies the payload with the field at a path set; `undefined` removes it. */
function changed(event: ShownEventType, path: string, value: unknown): Json {
  const copy = sample(event)
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<Json>((at, name) => at[name] as Json, copy)
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy
}

function check(event: string | null, payload: unknown) {
  return checkPayload(event, JSON.stringify(payload))
}

/** Whether an array is the right type for a field, as for three of them. */
function takesArray(event: string, path: string): boolean {
  return (
    path === 'offer.message' ||
    (event === 'location.status' && path.startsWith('location.searchBy.merchantIds.'))
  )
}

/** Lists the paths of all fields, except inside objects with keys of the client's choosing. */
function paths(value: unknown, before = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const path = before === '' ? name : `${before}.${name}`
    return name === 'metadata' ? [path] : [path, ...paths(field, path)]
  })
}

test.each(shownEventTypes)('a valid payload: %s', (event) => {
  expect(check(event, sample(event))).toEqual({ outcome: 'ok', failures: [], findings: [] })
  expect(checkPayload(event, Buffer.from(JSON.stringify(sample(event)), 'utf8'))).toMatchObject({
    outcome: 'ok',
  })
})

const optional = ['card.metadata', 'originalTransactionId']
test.each(shownEventTypes)(
  'every field of every event is required, except two and those seen absent: %s',
  (event) => {
    for (const path of paths(sample(event))) {
      const result = check(event, changed(event, path, undefined))
      const isOptional =
        (optional.includes(path) && event.startsWith('transaction.')) ||
        observedIn(event).some((known) => known.path === path && known.seen === 'absent')
      expect([path, result.outcome]).toEqual([path, isOptional ? 'ok' : 'issues'])
      if (!isOptional) {
        expect(result.failures).toHaveLength(1)
        expect(result.failures[0]).toMatchObject({
          path,
          message: expect.stringContaining('Missing required field'),
        })
      }
    }
  },
)

test.each([
  ['transaction.auth', 'an object or null'],
  ['transaction.auth.qualified', 'an object'],
] as const)('a missing offer of %s should be %s', (event, expected) => {
  expect(check(event, changed(event, 'offer', undefined)).failures).toEqual([
    { path: 'offer', section: '2.6', message: `Missing required field \`offer\` (${expected}).` },
  ])
  expect(check(event, changed(event, 'offer', 3)).failures).toEqual([
    { path: 'offer', section: '2.6', message: `\`offer\` must be ${expected}, not 3.` },
  ])
})

test.each(shownEventTypes)('every field of every event has its type: %s', (event) => {
  for (const path of paths(sample(event)).filter((each) => each !== 'wallet')) {
    const wrong = takesArray(event, path) ? 1 : []
    const result = check(event, changed(event, path, wrong))
    expect([path, result.outcome, result.failures[0]?.path]).toEqual([path, 'issues', path])
  }
})

test.each([
  ['brand.consent', 'name', '2.2'],
  ['program.status', 'syncStats.status', '2.3'],
  ['location.status', 'location.visa.auth', '2.4'],
  ['card.failed', 'card.id', '2.5'],
  ['transaction.auth', 'location.geolocation', '2.6'],
  ['transaction.auth.qualified', 'offer.cashback', '2.7'],
] as const)('findings name the section of their field: %s %s', (event, path, section) => {
  expect(check(event, changed(event, path, undefined)).failures).toMatchObject([{ path, section }])
})

describe('formats', () => {
  test.each([
    ['transaction.auth', 'id', 'not-a-uuid'],
    ['transaction.auth', 'created', '2026-03-04T05:06:07Z'],
    ['transaction.auth', 'created', '2026-03-04T05:06:07.000+01:00'],
    ['transaction.auth', 'created', '2026-02-30T05:06:07.000Z'],
    ['transaction.auth', 'datetime', '2026-03-04T05:06:07Z'],
    ['transaction.auth', 'datetime', '2026-03-04T05:06:07.000'],
    ['transaction.auth', 'datetime', '2026-03-04 05:06:07'],
    ['transaction.auth', 'datetime', '2026-02-30T05:06:07'],
    ['transaction.auth', 'amount', '12.50'],
    ['transaction.auth', 'currency', 'EURO'],
    ['transaction.auth', 'card.metadata', null],
    ['transaction.auth', 'offer', {}],
    ['transaction.auth.qualified', 'offer', null],
    ['transaction.refund', 'originalTransactionId', null],
    ['card.linked', 'expDate', '2029-02-02T00:00:00.000Z'],
    ['card.linked', 'expDate', '2029-02-01T01:00:00.000Z'],
    ['card.linked', 'expMonth', 2.5],
    ['card.linked', 'expYear', '2029'],
    ['card.linked', 'firstNumbers', '41111'],
    ['card.linked', 'lastNumbers', 1111],
    ['card.linked', 'countryCode', 'GB'],
    ['brand.consent', 'logoURL', 'no url'],
    ['location.status', 'location.searchBy.merchantIds.visa', {}],
  ] as const)('%s: %s cannot be %j', (event, path, value) => {
    expect(check(event, changed(event, path, value))).toMatchObject({ outcome: 'issues' })
  })

  test.each([
    ['transaction.auth', 'amount', 0],
    ['transaction.auth', 'card.metadata', undefined],
    ['transaction.auth', 'location.geolocation', { latitude: 1, longitude: 2 }],
    ['transaction.auth', 'id', '00000000-0000-0000-0000-000000000000'],
    ['transaction.auth', 'datetime', '2024-02-29T23:59:59'],
    ['transaction.refund', 'originalTransactionId', undefined],
    ['transaction.auth.qualified', 'offer.qualificationDate', null],
    ['transaction.auth.qualified', 'offer.message', ['a note']],
  ] as const)('%s: %s can be %j', (event, path, value) => {
    expect(check(event, changed(event, path, value))).toEqual({
      outcome: 'ok',
      failures: [],
      findings: [],
    })
  })
})

describe("findings don't change the outcome", () => {
  test.each([
    ['transaction.auth', 'shoe', 1, 'shoe', '2.6'],
    ['transaction.auth', 'card.type', 'visa', 'card.type', '2.6'],
    ['transaction.auth', '__proto__x', {}, '__proto__x', '2.6'],
    ['transaction.auth', 'wallet', 'apple', 'wallet', '2.6'],
    ['transaction.auth', 'amount', -1, 'amount', '2.6'],
    ['transaction.auth', 'auth', false, 'auth', '2.6'],
    ['transaction.auth', 'cleared', true, 'cleared', '2.6'],
    [
      'transaction.auth',
      'originalTransactionId',
      samplePayloads['transaction.auth'].id,
      'originalTransactionId',
      '2.6',
    ],
    ['transaction.clearing', 'cleared', false, 'cleared', '2.6'],
    ['transaction.clearing', 'auth', false, 'auth', '2.6'],
    ['transaction.clearing', 'amount', -1, 'auth', '6.3'],
    ['transaction.refund', 'auth', true, 'auth', '6.3'],
    ['transaction.refund', 'cleared', false, 'cleared', '2.6'],
    ['transaction.auth.qualified', 'offer.qualified', false, 'offer.qualified', '2.7'],
    ['transaction.auth', 'card.scheme', 'diners', 'card.scheme', '2.6'],
    ['card.linked', 'expMonth', 3, 'expDate', '2.5'],
    ['card.linked', 'expMonth', 13, 'expMonth', '2.5'],
    ['card.failed', 'card.expMonth', 0, 'card.expMonth', '2.5'],
    ['brand.consent', 'logoURL', 'foo:bar', 'logoURL', '2.2'],
    ['location.status', 'location.timezone', 'Mars/Phobos', 'location.timezone', '2.4'],
    ['location.status', 'location.timezone', '+02:00', 'location.timezone', '2.4'],
    ['transaction.auth', 'location.timezone', 'Mars/Phobos', 'location.timezone', '2.4'],
    ['card.linked', 'type', 'mastercard', 'type', '2.5'],
    ['card.failed', 'event', 'card.linked', 'event', '2.5'],
    ['card.failed', 'card.type', 'mastercard', 'card.type', '2.5'],
    ['brand.consent', 'consent', false, 'consent', '2.2'],
    ['program.status', 'syncStats.status', 'synced', 'syncStats.status', '2.3'],
    ['program.status', 'live', false, 'live', '6.2'],
    ['location.status', 'scheme', 'diners', 'scheme', '2.4'],
    ['location.status', 'location.visa.status', 'pending', 'location.visa.status', '2.4'],
    ['location.status', 'status', 'location.failed', 'status', '6.2'],
  ] as const)('%s: %s = %j', (event, field, value, path, section) => {
    const result = check(event, changed(event, field, value))
    expect(result).toMatchObject({ outcome: 'ok', failures: [] })
    expect(result.findings).toMatchObject([{ path, section }])
  })

  test.each([
    'UTC',
    'Europe/London',
    'Asia/Calcutta',
    'America/Argentina/Buenos_Aires',
    'Etc/GMT+5',
  ])('the time zone %s is known', (timezone) => {
    expect(
      check('location.status', changed('location.status', 'location.timezone', timezone)).findings,
    ).toEqual([])
  })

  test('a new field with an empty name is shown in quotes', () => {
    const { findings } = check('card.linked', { ...(sample('card.linked') as object), '': 1 })
    expect(findings.map(({ message }) => message)).toEqual(['New field `""`: not in the spec.'])
  })

  test("a refund that isn't negative is reported, and so is an original on a purchase", () => {
    const { outcome, findings } = check(
      'transaction.refund',
      changed('transaction.refund', 'amount', 12.5),
    )
    expect([outcome, findings.map(({ path }) => path)]).toEqual([
      'ok',
      ['amount', 'originalTransactionId'],
    ])
  })

  test('the clearing of a refund is valid', () => {
    expect(check('transaction.clearing', sample('transaction.refund'))).toEqual({
      outcome: 'ok',
      failures: [],
      findings: [],
    })
  })

  test('a million new fields are reported by number', () => {
    const many = {
      ...sample('card.linked'),
      ...Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, 1])),
    }
    const { findings } = check('card.linked', many)
    expect(findings).toHaveLength(51)
    expect(findings.at(-1)?.message).toContain('9950 more')
  })
})

describe('invalid payloads', () => {
  test.each([
    ['', 'not-json'],
    ['{', 'not-json'],
    ['\ufeff{}', 'not-json'],
    ['NaN', 'not-json'],
    ['[]', 'issues'],
    ['null', 'issues'],
    ['42', 'issues'],
    ['{}', 'issues'],
  ])('%j is %s', (body, outcome) => {
    expect(checkPayload('transaction.auth', body).outcome).toBe(outcome)
  })

  test('bytes that are not UTF-8 are not JSON', () => {
    expect(checkPayload('transaction.auth', Uint8Array.of(0x22, 0xff, 0x22)).outcome).toBe(
      'not-json',
    )
  })

  test('a compressed body is reported as compressed', () => {
    const { failures } = checkPayload(
      'transaction.auth',
      Uint8Array.of(0x1f, 0x8b, 0x08, 0x00, 0xff),
    )
    expect(failures[0]?.message).toBe(
      "The body isn't UTF-8, so it isn't JSON: it starts like gzip.",
    )
  })

  test.each([
    'marketplace.offer.live',
    'marketplace.offer.updated',
    'credits.balance.low',
    'no.such',
    '__proto__',
    null,
  ])("the payload of %s isn't shown, so it has no issues", (event) => {
    expect(check(event, { anything: 1 })).toEqual({
      outcome: 'unknown',
      failures: [],
      findings: [],
    })
  })
})

describe('a body with very many members', () => {
  const withFields = (count: number) =>
    JSON.stringify({
      ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, ',"{'])),
    })

  test('is checked up to 20,000 of them', () => {
    expect(checkPayload('transaction.auth', withFields(20_000)).outcome).toBe('issues')
  })

  test.each([
    ['members', withFields(20_001)],
    ['items', JSON.stringify([Array.from({ length: 20_001 }, () => 1)])],
    [
      'members of many objects',
      JSON.stringify(Array.from({ length: 10_001 }, () => ({ a: 1, b: 2 }))),
    ],
  ])('is too large to check beyond that: %s', (_what, body) => {
    const tooLarge = {
      outcome: 'unknown',
      failures: [],
      findings: [
        {
          path: '',
          message: 'Too large to check: the body has more than 20,000 members.',
          section: '4.4',
        },
      ],
    }
    expect(checkPayload('transaction.auth', body)).toEqual(tooLarge)
    expect(describePayload(null, new TextEncoder().encode(body))).toMatchObject({
      schema: 'unknown',
      events: [],
      details: { schemaErrors: null },
    })
  })

  test('is not JSON if the commas are outside of it', () => {
    expect(checkPayload('transaction.auth', '1,'.repeat(20_001)).outcome).toBe('not-json')
  })
})

describe("the environment's mode", () => {
  const paths = { 'card.failed': 'card.live', 'location.status': 'location.live' } as Readonly<
    Record<string, string>
  >
  const resources = shownEventTypes.filter((event) => !event.startsWith('transaction.'))
  test.each(resources)('a %s that contradicts it is a finding, not an error', (event) => {
    const path = paths[event] ?? 'live'
    for (const live of [true, false]) {
      const body = JSON.stringify(changed(event, path, live))
      const [there, elsewhere] = live ? (['live', 'test'] as const) : (['test', 'live'] as const)
      const right = checkPayload(event, body, { environment: 'mine', mode: there })
      expect(right).toEqual(checkPayload(event, body))
      const mixed = checkPayload(event, body, { environment: 'mine', mode: elsewhere })
      expect(mixed.outcome).toBe('ok')
      expect(mixed.findings).toEqual([
        {
          path,
          section: '1',
          message: expect.stringContaining(`environment mine is in ${elsewhere} mode`),
        },
        ...right.findings,
      ])
    }
  })

  test("a transaction has no live; an event whose payload isn't shown can have one", () => {
    for (const mode of ['test', 'live'] as const) {
      expect(
        checkPayload('transaction.auth', JSON.stringify(sample('transaction.auth')), {
          environment: 'mine',
          mode,
        }),
      ).toEqual({
        outcome: 'ok',
        failures: [],
        findings: [],
      })
      expect(
        checkPayload('credits.balance.low', '{"live":true}', { environment: 'mine', mode }),
      ).toMatchObject({
        outcome: 'unknown',
        findings: mode === 'live' ? [] : [{ path: 'live' }],
      })
    }
  })

  test("a live that isn't a boolean causes no finding about the mode", () => {
    const check = checkPayload(
      'brand.consent',
      JSON.stringify(changed('brand.consent', 'live', 'yes')),
      {
        environment: 'mine',
        mode: 'test',
      },
    )
    expect(check).toMatchObject({ outcome: 'issues', findings: [] })
  })
})

describe('inferring the event from the payload', () => {
  const alike: Partial<Record<ShownEventType, readonly string[]>> = {
    'transaction.refund': ['transaction.clearing', 'transaction.refund'],
    'transaction.refund.qualified': [
      'transaction.clearing.qualified',
      'transaction.refund.qualified',
    ],
  }
  test.each(shownEventTypes)('%s', (event) => {
    const candidates = alike[event] ?? [event]
    expect(guessEvents(JSON.stringify(sample(event)))).toEqual(candidates)
    expect(guessEvents(JSON.stringify({ ...sample(event), new: 1 }))).toEqual(candidates)
  })

  test('a payload with one field missing is still recognized', () => {
    expect(guessEvents(JSON.stringify(changed('transaction.auth', 'wallet', undefined)))).toEqual([
      'transaction.auth',
    ])
    expect(guessEvents(JSON.stringify(changed('card.linked', 'expYear', undefined)))).toEqual([
      'card.linked',
    ])
  })

  test('if no flags match, all three are possible', () => {
    const odd = changed('transaction.auth', 'auth', false)
    expect(guessEvents(JSON.stringify(odd))).toEqual([
      'transaction.auth',
      'transaction.clearing',
      'transaction.refund',
    ])
  })

  test.each(['{}', '[]', 'null', '"a"', '{"id":"1"}', '{"hello":"world"}', 'nonsense', ''])(
    '%s matches nothing',
    (body) => {
      expect(guessEvents(body)).toEqual([])
    },
  )

  test('an unknown event has a closest match, by required fields', () => {
    const {
      id: _id,
      card: _card,
      brand: _brand,
      location: _location,
      ...rest
    } = sample('transaction.auth')
    expect(closestEvent(JSON.stringify(rest))).toMatchObject({
      event: 'transaction.auth',
      found: 15,
      required: 19,
    })
    for (const unlike of ['{"hello":"world"}', '[]', 'no JSON'])
      expect(closestEvent(unlike)).toBeNull()
  })
})

describe('nothing throws', () => {
  const events = fc.constantFrom(...eventTypes, 'x', '', '__proto__', 'constructor', null)

  test('any bytes, any text', () => {
    fc.assert(
      fc.property(
        events,
        fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 200 })),
        (event, body) => {
          checkPayload(event, body)
          guessEvents(body)
        },
      ),
      { numRuns: times(30, 3_000) },
    )
  })

  test('any JSON, and any JSON in place of any field', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...shownEventTypes),
        fc.nat(),
        fc.json({ maxDepth: 3 }),
        (event, which, json) => {
          const all = paths(sample(event))
          const path = all[which % all.length] ?? 'id'
          const result = check(event, changed(event, path, JSON.parse(json) as unknown))
          expect(['ok', 'issues']).toContain(result.outcome)
          expect(result.outcome === 'ok').toBe(result.failures.length === 0)
          expect(checkPayload(event, json).outcome).not.toBe('not-json')
          guessEvents(json)
        },
      ),
      { numRuns: times(30, 3_000) },
    )
  })

  test('nesting of a million levels', () => {
    const deep = `{"card":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`
    expect(['issues', 'not-json']).toContain(checkPayload('transaction.auth', deep).outcome)
    expect(guessEvents(deep)).toEqual([])
  })

  test('a body that names an event which the spec does not show is never compared with a similar one', () => {
    const other = JSON.stringify({ ...sample('card.failed'), event: 'card.verification.failed' })
    expect([guessEvents(other), closestEvent(other)]).toEqual([[], null])
    expect(describePayload(null, Buffer.from(other))).toMatchObject({ schema: 'unknown' })
    expect(describePayload('card.verification.failed', Buffer.from(other))).toMatchObject({
      schema: 'unknown',
      details: { schemaErrors: null },
    })
  })
})

describe('the details of a payload', () => {
  const detailsOf = (body: string, event: string | null = 'transaction.auth') =>
    describePayload(event, new TextEncoder().encode(body)).details

  test.each([
    ['10.00', '{"amount":10.00,"currency":"EUR"}'],
    ['-1050', '{"amount" : -1050}'],
    ['1E2', '{"amount":1E2}'],
    ['12345678901234567890.10', '{"amount":12345678901234567890.10}'],
    ['10.00', '{"offer":{"amount":10.0},"amount":10.00}'],
    ['7.50', '{"amount":1,"offer":{"amount":7},"amount":7.50}'],
    ['10.0', String.raw`{"\u0061mount":10.0}`],
    ['10', String.raw`{"note":"\"amount\":10.00","amount":10}`],
    [null, '{"amount":"10.00"}'],
    [null, '{"offer":{"amount":10.00}}'],
    [null, '[1]'],
    [null, '{"amount":10.00'],
  ])('have the amount exactly as written: %s of %s', (amount, body) => {
    expect(detailsOf(body).amount).toBe(amount)
  })

  test("have the currency, and the brand's name as the merchant", () => {
    expect(detailsOf('{"currency":"EUR","brand":{"name":"Café"}}')).toMatchObject({
      currency: 'EUR',
      merchant: 'Café',
    })
    expect(detailsOf('{"currency":1,"brand":"x"}')).toMatchObject({
      currency: null,
      merchant: null,
    })
    const named = (name: string) => detailsOf(JSON.stringify({ brand: { name } })).merchant
    expect(named('x'.repeat(200))).toBe('x'.repeat(200))
    expect(named('x'.repeat(201))).toBe(null)
  })

  test('count schema errors only if the schema was checked', () => {
    expect(detailsOf('{"id":1}').schemaErrors).toBe(
      checkPayload('transaction.auth', '{"id":1}').failures.length,
    )
    expect([
      detailsOf('{').schemaErrors,
      detailsOf('{"id":1}', 'unknown.event').schemaErrors,
    ]).toEqual([null, null])
  })
})

describe('mismatches seen at accounts in test mode', () => {
  const nulls = { approvalCode: null, authCode: null, cardPresent: null }
  const auth = sample('transaction.auth')
  test.each<[ShownEventType, Json, number, number]>([
    ['transaction.auth', { ...auth, ...nulls }, 3, 0],
    ['transaction.clearing', { ...sample('transaction.clearing'), ...nulls }, 3, 0],
    [
      'transaction.auth',
      changed('transaction.auth', 'identifiers.amexApprovalCode', undefined),
      1,
      0,
    ],
    ['transaction.refund', changed('transaction.refund', 'offer', undefined), 1, 0],
    ['transaction.auth', changed('transaction.auth', 'offer', undefined), 0, 1],
    [
      'transaction.refund.qualified',
      changed('transaction.refund.qualified', 'offer', undefined),
      0,
      1,
    ],
    ['transaction.auth', changed('transaction.auth', 'approvalCode', undefined), 0, 1],
    ['transaction.auth', changed('transaction.auth', 'identifiers.visaAuthCode', undefined), 0, 1],
    ['transaction.auth', { ...auth, auth: null }, 0, 1],
    ['transaction.auth', { ...auth, approvalCode: 5 }, 0, 1],
  ])('%s: findings, and everything else is an error (%#)', (event, payload, findings, failures) => {
    const check = checkPayload(event, JSON.stringify(payload))
    expect([check.findings.length, check.failures.length]).toEqual([findings, failures])
    expect(check.outcome).toBe(failures === 0 ? 'ok' : 'issues')
  })

  test('name the mismatch and the rule of the spec', () => {
    const check = checkPayload('transaction.auth', JSON.stringify({ ...auth, approvalCode: null }))
    const message = '`approvalCode`: null here; the spec says string.'
    expect(check.findings).toEqual([{ path: 'approvalCode', section: '2.6', message }])
  })
})
