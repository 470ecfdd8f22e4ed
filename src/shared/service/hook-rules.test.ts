import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockedHeaders } from './header-rules.ts'
import { headerNames } from './header-names.ts'
import { eventTypes, hookKindOf } from './event-type.ts'
import { checkHook, checkUpdateFields, type HookContext, type HookDraft } from './hook-rules.ts'

const alone: HookContext = { prefix: 'service', siblings: [] }
const PROGRAM = '6d7e0d0e-6f1c-4c8e-9f5b-0d6f7f3d9a01'
const right: HookDraft = {
  kind: 'program',
  event: 'card.linked',
  url: 'https://a.example/in?x=1',
  programId: PROGRAM,
  headers: {},
}

function rules(change: Partial<HookDraft>, context: Partial<HookContext> = {}): string[] {
  return checkHook({ ...right, ...change }, { ...alone, ...context }).map(
    ({ rule, section }) => `${rule} ${section}`,
  )
}

describe('event against kind', () => {
  test.each(eventTypes)('%s', (event) => {
    const kind = hookKindOf(event)
    const offered = (each: 'brand' | 'program') => rules({ kind: each, event })
    if (kind === null) {
      expect(offered('brand')).toEqual(['event-not-registrable 6.1'])
      expect(offered('program')).toEqual(['event-not-registrable 6.1'])
    } else {
      expect(offered(kind)).toEqual([])
      expect(offered(kind === 'brand' ? 'program' : 'brand')).toEqual([
        kind === 'brand' ? 'event-kind 4.2' : 'event-kind 4.1',
      ])
    }
    // A hook of unknown kind was registered elsewhere: any known event is valid.
    expect(rules({ kind: null, event })).toEqual([])
  })

  test.each([undefined, null, '', 7])('%j is not an event', (event) => {
    expect(rules({ event })).toEqual(['event-required 2.1'])
  })

  test('an unknown event', () => {
    expect(rules({ event: 'card.lost' })).toEqual(['event-unknown 6.1'])
    expect(rules({ event: 'toString' })).toEqual(['event-name 6.1'])
  })
})

describe('url', () => {
  test.each([
    [undefined, 'url-required 2.1'],
    ['', 'url-required 2.1'],
    [5, 'url-required 2.1'],
    ['a.example/in', 'url-invalid 2.1'],
    ['https://', 'url-invalid 2.1'],
    ['https:example.com', 'url-invalid 2.1'],
    ['https:/example.com', 'url-invalid 2.1'],
    ['https:///example.com', 'url-invalid 2.1'],
    ['http:example.com', 'url-invalid 2.1'],
    // Characters that the spec doesn't mention: our own rule.
    [' https://a.example/', 'url-invalid '],
    ['https://a.example/a b', 'url-invalid '],
    ['https:\\\\a.example', 'url-invalid '],
    ['https://a.example\\in', 'url-invalid '],
    ['http://a.example/', 'url-https 2.1'],
    ['ftp://a.example/', 'url-https 2.1'],
    ['javascript:alert(1)', 'url-https 2.1'],
  ])('%j', (url, rule) => {
    expect(rules({ url })).toEqual([rule])
  })

  test.each([
    'https://user:word@a.example/in#part',
    'https://127.0.0.1:4783/h/a',
    'HTTPS://a.example',
    'https://[::1]/',
    'https://a.example/%zz?q=//&r',
  ])('%s is accepted', (url) => {
    expect(rules({ url })).toEqual([])
  })
})

describe('offer and program', () => {
  test.each(eventTypes.filter((event) => hookKindOf(event) !== null))(
    'an offer with %s',
    (event) => {
      const expected = event.endsWith('.qualified') ? [] : ['offer-event 4.2']
      expect(rules({ kind: hookKindOf(event), event, offerId: PROGRAM })).toEqual(expected)
    },
  )

  test('IDs must be UUIDs', () => {
    expect(rules({ event: 'transaction.auth.qualified', offerId: 'x' })).toEqual(['offer-uuid 2.1'])
    expect(rules({ programId: 'x' })).toEqual(['program-uuid 2.1'])
    expect(rules({ programId: 5 })).toEqual(['program-uuid 2.1'])
  })

  test('a program is required only if nothing else names it, and never for a brand hook', () => {
    expect(rules({ programId: null })).toEqual([])
    expect(rules({ programId: null }, { needsProgram: true })).toEqual(['program-required 2.1'])
    expect(
      rules({ kind: 'brand', event: 'brand.consent', programId: null }, { needsProgram: true }),
    ).toEqual([])
  })

  test("an update can't change the offer", () => {
    expect(checkUpdateFields({ offerId: PROGRAM }, null)).toMatchObject([
      { rule: 'offer-update', section: '4.1' },
    ])
    expect(checkUpdateFields({ offerId: null }, PROGRAM)).toHaveLength(1)
    expect(checkUpdateFields({ offerId: PROGRAM }, PROGRAM)).toEqual([])
    expect(checkUpdateFields({ headers: {} }, PROGRAM)).toEqual([])
  })
})

describe('headers', () => {
  const headers = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'v']))

  test.each([
    [headers(5), []],
    [headers(6), ['headers-count 4.3']],
    [{ a: '1' }, []],
    [{ ['n'.repeat(64)]: 'v'.repeat(1_000) }, []],
    [{ ['n'.repeat(65)]: 'v' }, ['header-name-length 4.3']],
    [{ '': 'v' }, ['header-name-length 4.3']],
    [{ 'a b': 'v' }, ['header-name-characters 4.3']],
    [{ straße: 'v' }, ['header-name-characters 4.3']],
    [{ 'a:': 'v' }, ['header-name-characters 4.3']],
    [{ 'A_b-9': 'v' }, []],
    [{ a: '' }, ['header-value-length 4.3']],
    [{ a: 'v'.repeat(1_001) }, ['header-value-length 4.3']],
    [{ a: 'x\ny' }, ['header-value-characters ']],
    [{ a: '\u20ac' }, ['header-value-characters ']],
    [{ 'Keep-Alive': 'timeout=5' }, ['header-name-unsendable ']],
    [{ a: 'caf\u00e9\t!' }, []],
    [{ a: 1 }, ['header-value-type 2.1']],
    ['a: b', ['headers-object 2.1']],
    [[], ['headers-object 2.1']],
    [null, ['headers-object 2.1']],
    [undefined, []],
  ])('%j', (value, expected) => {
    expect(rules({ headers: value })).toEqual(expected)
  })

  test('the blocked list has 41 names, and each is rejected in any case', () => {
    const names = [...blockedHeaders('service')]
    expect(names).toHaveLength(41)
    for (const name of names) {
      expect(rules({ headers: { [name]: 'v' } })).toEqual(['header-name-blocked 4.3'])
      expect(rules({ headers: { [name.toUpperCase()]: 'v' } })).toEqual(['header-name-blocked 4.3'])
    }
  })

  test("the service's own names follow the prefix of the environment", () => {
    const acme = (name: string) => rules({ headers: { [name]: 'v' } }, { prefix: 'Acme' })
    for (const name of [
      'Acme-Account',
      'acme-key',
      'Acme-Live',
      'Acme-Request-Id',
      'Acme-User',
      'X-Acme-Signature',
      'x-acme-timestamp',
    ]) {
      expect(acme(name)).toEqual(['header-name-blocked 4.3'])
    }
    expect(acme('Service-Key')).toEqual([])
    expect(acme('Acme-Other')).toEqual([])
    expect(headerNames('Acme')).toEqual({
      signature: 'x-acme-signature',
      timestamp: 'x-acme-timestamp',
      key: 'acme-key',
      messageId: 'acme-message-id',
      attemptNumber: 'acme-attempt-number',
    })
  })
})

describe('ten URLs per event and program', () => {
  const siblings = (count: number, change: { event?: string; programId?: string | null } = {}) =>
    Array.from({ length: count }, () => ({ event: 'card.linked', programId: PROGRAM, ...change }))

  test('the tenth is accepted, the eleventh is rejected', () => {
    expect(rules({}, { siblings: siblings(9) })).toEqual([])
    expect(rules({}, { siblings: siblings(10) })).toEqual(['url-limit 8'])
  })

  test("other events, other programs and brand hooks don't count", () => {
    expect(rules({}, { siblings: siblings(10, { event: 'card.failed' }) })).toEqual([])
    expect(rules({}, { siblings: siblings(10, { programId: null }) })).toEqual([])
    const brands = siblings(10, { event: 'brand.consent', programId: null })
    expect(
      rules({ kind: 'brand', event: 'brand.consent', programId: null }, { siblings: brands }),
    ).toEqual([])
  })
})

test('all problems are found at once', () => {
  const wrong = {
    kind: 'brand',
    event: 'card.linked',
    url: 'http://a',
    offerId: 'x',
    headers: { Host: '', 'a b': 1 },
  } as const
  expect(rules(wrong)).toEqual([
    'event-kind 4.1',
    'url-https 2.1',
    'offer-uuid 2.1',
    'offer-event 4.2',
    'header-name-blocked 4.3',
    'header-value-length 4.3',
    'header-name-characters 4.3',
    'header-value-type 2.1',
  ])
})

test('no input makes it throw, and every finding names its field', () => {
  const anything = fc.anything()
  fc.assert(
    fc.property(
      fc.constantFrom('brand', 'program', null),
      anything,
      anything,
      anything,
      anything,
      anything,
      (kind, event, url, programId, offerId, headers) => {
        for (const finding of checkHook({ kind, event, url, programId, offerId, headers }, alone)) {
          expect(finding.field).toMatch(/^(event|url|programId|offerId|headers)/)
          expect(finding.message).toMatch(/\.$/)
        }
      },
    ),
  )
})
