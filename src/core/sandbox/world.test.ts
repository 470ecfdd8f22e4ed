import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { payloadSchemas } from '../../shared/service/payload-schemas.ts'
import { recordSchemas } from './records.ts'
import { sampleCities } from './sample-cities.ts'
import { makeWorld, type ObjectSeed } from './world.ts'
import { localTimeAt } from './local-values.ts'

/** Currencies (ISO 4217) by country, for the countries that the sandbox knows. */
const currencies = {
  GBR: 'GBP',
  IRL: 'EUR',
  DEU: 'EUR',
  SWE: 'SEK',
  USA: 'USD',
  CAN: 'CAD',
  AUS: 'AUD',
  JPN: 'JPY',
} as const

/** Test numbers published by card schemes. */
const published = {
  visa: ['4111111111111111', '4012888888881881', '4242424242424242'],
  mastercard: ['5555555555554444', '5105105105105100', '2223003122003222'],
}

const seeds: fc.Arbitrary<ObjectSeed> = fc.record({
  seed: fc.oneof(fc.maxSafeNat(), fc.string({ maxLength: 20 })),
  mode: fc.constantFrom('test', 'live'),
  now: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2090, 0, 1) }),
})

describe('any world', () => {
  property.prop([seeds])('is right in its schemas, of one mode, and consistent', (seed) => {
    const { program, brands, locations, cards, offers } = makeWorld(seed)
    expect(payloadSchemas['program.status'].safeParse(program).error).toBeUndefined()
    for (const brand of brands)
      expect(payloadSchemas['brand.consent'].safeParse(brand).error).toBeUndefined()
    for (const location of locations)
      expect(recordSchemas.location.safeParse(location).error).toBeUndefined()
    for (const card of cards)
      expect(payloadSchemas['card.linked'].safeParse(card).error).toBeUndefined()
    for (const offer of offers) expect(recordSchemas.offer.safeParse(offer).error).toBeUndefined()
    const all = [program, ...brands, ...locations, ...cards, ...offers]
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(new Set(all.map(({ live }) => live))).toEqual(new Set([seed.mode === 'live']))
    for (const { programId } of [...locations, ...cards, ...offers])
      expect(programId).toBe(program.id)
    for (const { brandId } of locations) expect(brands.map(({ id }) => id)).toContain(brandId)
    expect(program.syncStats.locations).toBe(locations.length)
  })

  property.prop([seeds])(
    'has places whose parts agree, and cards with published numbers that have not expired',
    (seed) => {
      const { locations, cards } = makeWorld(seed)
      for (const { countryCode, currency, timezone, city, geolocation } of locations) {
        const place = sampleCities.find((one) => one.city === city)
        expect(place).toMatchObject({ countryCode, currency, timezone })
        // The difference of two doubles may slightly exceed what either shows.
        expect(Math.abs(geolocation.latitude - (place?.latitude ?? 0))).toBeLessThanOrEqual(
          0.005 + 1e-9,
        )
        expect(Math.abs(geolocation.longitude - (place?.longitude ?? 0))).toBeLessThanOrEqual(
          0.005 + 1e-9,
        )
      }
      for (const { scheme, type, firstNumbers, lastNumbers, expDate, expMonth, expYear } of cards) {
        const numbers = published[scheme as keyof typeof published]
        expect(numbers.map((number) => [number.slice(0, 6), number.slice(-4)])).toContainEqual([
          firstNumbers,
          lastNumbers,
        ])
        expect(type).toBe(scheme)
        expect(expDate).toBe(new Date(Date.UTC(expYear, expMonth - 1, 1)).toISOString())
        expect(Date.UTC(expYear, expMonth, 1)).toBeGreaterThan(seed.now)
      }
    },
  )

  property.prop([seeds, fc.uuid()])(
    'is the same for the same seed; a program that is named keeps its id',
    (seed, id) => {
      expect(makeWorld(seed)).toEqual(makeWorld({ ...seed }))
      const named = makeWorld(seed, id)
      expect(named.program).toEqual({ ...makeWorld(seed).program, id })
      expect(named.locations.map((location) => location.programId)).toEqual(
        named.locations.map(() => id),
      )
    },
  )

  property.prop([seeds, seeds])('of another seed has other ids', (one, other) => {
    fc.pre(String(one.seed) !== String(other.seed))
    expect(makeWorld(one).program.id).not.toBe(makeWorld(other).program.id)
  })
})

test('each country has its currency, and each time zone is valid', () => {
  for (const { countryCode, currency, timezone } of sampleCities) {
    expect([countryCode, currency]).toEqual([
      countryCode,
      currencies[countryCode as keyof typeof currencies],
    ])
    expect(Intl.supportedValuesOf('timeZone')).toContain(timezone)
  }
})

test('payment times match the local wall clock, in summer and in winter', () => {
  expect(localTimeAt(Date.UTC(2026, 0, 1, 0, 30), 'America/New_York')).toBe('2025-12-31T19:30:00')
  expect(localTimeAt(Date.UTC(2026, 6, 1, 23, 30), 'Europe/London')).toBe('2026-07-02T00:30:00')
  expect(localTimeAt(Date.UTC(2026, 6, 1, 15, 0), 'Asia/Tokyo')).toBe('2026-07-02T00:00:00')
})
