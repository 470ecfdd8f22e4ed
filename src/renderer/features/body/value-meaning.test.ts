import { describe, expect, test } from 'vitest'
import { childOf, readJson, type JsonNode } from '../../../shared/json/tree.ts'
import { amountMeaning, meaningOf } from './value-meaning.ts'

describe('an amount', () => {
  test.each([
    ['12.5', 'GBP', 'GBP 12.50 · 1,250 minor units'],
    ['-12.50', 'gbp', 'GBP -12.50 · -1,250 minor units'],
    ['1050', 'EUR', 'EUR 1,050.00 · EUR 10.50 if in minor units'],
    ['5', 'EUR', 'EUR 5.00 · EUR 0.05 if in minor units'],
    ['1050', 'JPY', 'JPY 1,050'],
    ['1.234', 'KWD', 'KWD 1.234 · 1,234 minor units'],
    [
      '12345678901234567890.10',
      'USD',
      'USD 12,345,678,901,234,567,890.10 · 1,234,567,890,123,456,789,010 minor units',
    ],
    ['0.00', 'GBP', 'GBP 0.00 · 0 minor units'],
    ['10.0000', 'GBP', 'GBP 10.00 · 1,000 minor units'],
  ])('%s %s is shown as %s', (written, currency, text) => {
    expect(amountMeaning(written, currency)).toMatchObject({ text })
  })

  test('too many decimals for the currency are noted', () => {
    expect(amountMeaning('10.005', 'GBP')?.text).toBe('too many decimals for GBP')
    expect(amountMeaning('10.5', 'JPY')?.text).toBe('JPY has no minor unit')
  })

  test('an unknown currency is reported', () => {
    expect(amountMeaning('10', 'XQQ')).toMatchObject({ text: 'unknown currency XQQ' })
    expect(amountMeaning('10', `\u202e${'x'.repeat(50)}`)?.text).toMatch(
      /^unknown currency \P{Cf}{1,30}…$/u,
    )
  })

  test('no currency or scientific notation gives no meaning', () => {
    expect(amountMeaning('10', null)).toBe(null)
    expect(amountMeaning('1e3', 'GBP')).toBe(null)
  })
})

describe('a value', () => {
  const text = JSON.stringify({
    amount: 12.5,
    currency: 'GBP',
    datetime: '2026-11-20T13:37:00',
    created: '2026-11-20T13:37:00.000Z',
    bad: '2026-13-45T13:37:00.000Z',
    offer: { cashback: 1.5 },
    location: { timezone: 'Europe/London' },
    expDate: '2029-04-01T00:00:00.000Z',
    name: 'amount',
  })
  const root = readJson(text)
  const meaning = (...steps: string[]) => {
    const node = steps.reduce<JsonNode | null>(childOf, root)
    if (node === null) throw new Error('not JSON')
    return meaningOf(node, '2026-11-20T13:38:00.000Z')
  }

  test('an amount uses the nearest currency', () => {
    expect(meaning('amount')?.text).toBe('GBP 12.50 · 1,250 minor units')
    expect(meaning('offer', 'cashback')?.text).toBe('GBP 1.50 · 150 minor units')
  })

  test('a time is shown with its zone and its distance from receipt', () => {
    expect(meaning('created')?.text).toMatch(/^UTC · (.* here · )?1 min before receipt$/)
    expect(meaning('datetime')?.text).toBe('no time zone; the location is in Europe/London')
    expect(meaning('expDate')?.text).toBe('expires 04/2029')
    expect(meaning('bad')?.text).toBe('invalid time')
  })

  test('other values have no meaning', () => {
    expect(meaning('name')).toBe(null)
    expect(meaning('location')).toBe(null)
  })
})
