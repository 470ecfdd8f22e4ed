/** Profiles of payloads, their sums, and what changed between them. */
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { fieldChangeWords } from '../../shared/drift/change-words.ts'
import { fieldChanges } from '../../shared/drift/field-changes.ts'
import { parentCount, presentCount } from '../../shared/drift/field-profile.ts'
import type { Profile } from '../../shared/drift/profile-schema.ts'
import { readProfile, writeProfile } from '../../shared/drift/profile-file.ts'
import { ProfileSum } from '../../shared/drift/profile-sum.ts'
import { createSeededRandom } from '../../../test/support/seeded-random.ts'
import { FieldTree } from './field-tree.ts'

const EVENT = 'transaction.refund'

function profileOf(payloads: readonly unknown[], from = 0): Profile {
  const tree = new FieldTree()
  for (const [index, payload] of payloads.entries())
    tree.add(payload, { id: `d${from + index}`, at: from + index })
  const events =
    payloads.length === 0
      ? []
      : [{ event: EVENT, deliveries: tree.deliveries, fields: tree.profiles() }]
  const sum = new ProfileSum()
  sum.add({ events, unread: 0 })
  return sum.total()
}

function field(profile: Profile, path: string) {
  const found = profile.events[0]?.fields.find((one) => one.path === path)
  if (found === undefined) throw new Error(`No field ${path}`)
  return found
}

describe('profile', () => {
  test('counts kinds, items, absence from the objects that could have a field, and small sets of words', () => {
    const profile = profileOf([
      { state: 'CLEARED', card: { last: '4001' }, offers: [{ id: 1 }, { id: null, note: 'x1' }] },
      { state: 'REFUNDED', card: null, offers: [] },
      { state: 'CLEARED', card: {} },
    ])
    const event = profile.events[0]!
    const countsOf = (path: string) => {
      const one = field(profile, path)
      const kinds = Object.fromEntries(one.kinds.map(({ kind, count }) => [kind, count]))
      return { kinds, of: parentCount(event, one), present: presentCount(one) }
    }
    expect(countsOf('card')).toEqual({ kinds: { null: 1, object: 2 }, of: 3, present: 3 })
    expect(countsOf('card.last')).toEqual({ kinds: { string: 1 }, of: 2, present: 1 })
    expect(countsOf('offers[]')).toEqual({ kinds: { object: 2 }, of: null, present: 2 })
    expect(countsOf('offers[].note')).toEqual({ kinds: { string: 1 }, of: 2, present: 1 })
    expect(field(profile, 'state').words).toMatchObject([
      { word: 'CLEARED', count: 2, last: { id: 'd2' } },
      { word: 'REFUNDED', count: 1, last: { id: 'd1' } },
    ])
    expect(field(profile, 'card.last').words).toBeNull()
    expect(field(profile, 'offers')).toMatchObject({ first: { id: 'd0' }, last: { id: 'd1' } })
  })

  test('odd names, depth and too many fields do no harm', () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`k${at}`, at]))
    const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`) as unknown
    const odd = JSON.parse('{"__proto__":{"x":1},"constructor":2,"a b":3,"":4}') as unknown
    const { fields } = profileOf([odd, deep, many, { ['n'.repeat(300)]: 1 }]).events[0]!
    expect(fields).toHaveLength(2_000)
    const paths = fields.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining(['__proto__.x', 'constructor', '$["a b"]', '$[""]']),
    )
    expect(paths.some((path) => path.length > 250)).toBe(false)
  })

  property.prop([
    fc.array(fc.json({ maxDepth: 3 }), { maxLength: 12 }),
    fc.infiniteStream(fc.nat(3)),
  ])('the sum of parts, in any order, is the profile of all', (texts, parts) => {
    const payloads = texts.map((text) => JSON.parse(text) as unknown)
    const groups = new Map<number, Profile[]>()
    for (const [index, payload] of payloads.entries()) {
      const group = parts.next().value ?? 0
      groups.set(group, [...(groups.get(group) ?? []), profileOf([payload], index)])
    }
    const sum = new ProfileSum()
    for (const part of [...groups.values()].flat()) sum.add(part)
    expect(sum.total()).toEqual(profileOf(payloads))
  })

  test('a file gives the same profile back; other files are refused with what to do', () => {
    const profile = profileOf([{ state: 'A', n: 1 }, { state: 'B' }])
    expect(readProfile(writeProfile(profile), 'f.json')).toEqual(profile)
    const refused = (text: string) => () => readProfile(text, 'f.json')
    expect(refused('{"countersign":"fields","version":9}')).toThrow(
      'f.json has version 9; this Countersign reads version 1. Write one with "countersign drift --save FILE".',
    )
    expect(refused('{}')).toThrow("f.json isn't a file of fields.")
    expect(refused('no JSON')).toThrow("f.json isn't a file of fields.")
    expect(refused('{"countersign":"fields","version":1,"events":3}')).toThrow('f.json is damaged.')
  })
})

/** Payloads of one event: constants, enumerations, rare and optional fields. */
function* refunds(seed: number): Generator<Record<string, unknown>> {
  const random = createSeededRandom(seed)
  for (;;)
    yield {
      id: random.bytes(8).toString('hex'),
      state: random.pick(['CLEARED', 'REFUNDED', 'PENDING']),
      amount: random.integer(1, 9_999) / 100,
      brand: random.integer(1, 100) <= 3 ? null : { name: random.pick(['Bakery', 'Books']) },
      ...(random.integer(1, 100) <= 30 ? { tip: random.integer(1, 5) } : {}),
      ...(random.integer(1, 400) === 1 ? { rare: true } : {}),
      card: { lastNumbers: String(random.integer(1_000, 9_999)), scheme: 'visa' },
    }
}

const take = (source: Iterator<Record<string, unknown>>, count: number) =>
  Array.from({ length: count }, () => source.next().value as Record<string, unknown>)

describe('changes', () => {
  test('planted ones are named, each once, and nothing else', () => {
    const source = refunds(7)
    const before = profileOf(take(source, 2_000))
    const since = take(source, 300).map((payload, index) => {
      const { lastNumbers: _gone, ...card } = payload['card'] as Record<string, unknown>
      return {
        ...payload,
        card: { ...card, network: { code: 'V' } },
        amount: String(payload['amount']),
        state: index % 50 === 0 ? 'REVERSED' : payload['state'],
        brand: index % 2 === 0 ? null : payload['brand'],
      }
    })
    const { changes, uncompared } = fieldChanges(before, profileOf(since, 2_000))
    expect(uncompared).toEqual([])
    expect(changes.map((change) => `${change.path}: ${fieldChangeWords(change)}`)).toEqual([
      'amount: string; before number',
      expect.stringMatching(/^brand: null in 15\d of 300; before in \d+ of 2,000$/),
      'card.lastNumbers: gone, in 0 of 300; before in 2,000 of 2,000',
      'card.network: new, in 300 of 300',
      'state: new value "REVERSED"; before only "CLEARED", "PENDING", "REFUNDED"',
    ])
    expect(changes.find(({ change }) => change === 'value')?.example.id).toBe('d2250')
    expect(changes.find(({ change }) => change === 'gone')?.example.id).toBe('d1999')
  })

  test('chance alone changes nothing: rare and optional fields come and go', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const source = refunds(seed)
      const [before, since] = [profileOf(take(source, 1_500)), profileOf(take(source, 25), 1_500)]
      expect(fieldChanges(before, since).changes, `seed ${seed}`).toEqual([])
    }
  })

  test('two random halves of one stream differ in nothing, however rare its values are', () => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = createSeededRandom(seed)
      const [word, nothing, tip] = Array.from({ length: 3 }, () => random.integer(1, 400))
      const once = (rate = 1) => random.integer(1, rate) === 1
      const halves: [unknown[], unknown[]] = [[], []]
      for (let at = 0; at < 800; at++)
        random.pick(halves).push({
          state: once(word) ? 'REVERSED' : random.pick(['CLEARED', 'REFUNDED']),
          brand: once(nothing) ? null : { name: 'Bakery' },
          ...(once(tip) ? { tip: 1 } : {}),
        })
      const [before, since] = [profileOf(halves[0]), profileOf(halves[1])]
      expect(fieldChanges(before, since).changes, `seed ${seed}`).toEqual([])
    }
  })

  test('an event that only one side has is named instead of compared', () => {
    const { changes, uncompared } = fieldChanges(profileOf([{ a: 1 }]), profileOf([]))
    expect([changes, uncompared]).toEqual([[], [EVENT]])
  })

  test('a field that a few deliveries always had is gone after two without it', () => {
    const before = profileOf(Array.from({ length: 5 }, () => ({ a: 1, b: 2 })))
    const gone = (count: number) =>
      fieldChanges(
        before,
        profileOf(
          Array.from({ length: count }, () => ({ a: 1 })),
          5,
        ),
      ).changes
    expect(gone(1)).toEqual([])
    expect(gone(2)).toMatchObject([{ path: 'b', change: 'gone' }])
  })
})
