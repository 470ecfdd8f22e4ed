import { expect, test } from 'vitest'
import { amountText, formatSentAmount } from './amount.ts'

test("an amount has its currency's digits, and no fewer than given", () => {
  expect(amountText(12.5, 'EUR')).toBe('12.50 EUR')
  expect(amountText(1640, 'JPY')).toBe('1,640 JPY')
  expect(amountText(-3, 'GBP')).toBe('−3.00 GBP')
  expect(amountText(1.005, 'EUR')).toBe('1.005 EUR')
})

test('invalid amounts and currencies are shown unchanged', () => {
  expect(amountText('12', 'EUR')).toBe('12')
  expect(amountText(12.5, 'nonsense')).toBe('12.5 nonsense')
  expect(amountText(12.5, null)).toBe('12.5 null')
})

test('an amount as written keeps every digit that was sent', () => {
  expect(formatSentAmount('36.9', 'GBP')).toBe('36.90')
  expect(formatSentAmount('-1234567.5', 'GBP')).toBe('−1,234,567.50')
  expect(formatSentAmount('1838', 'JPY')).toBe('1,838')
  expect(formatSentAmount('12345678901234567890.125', 'EUR')).toBe('12,345,678,901,234,567,890.125')
  expect(formatSentAmount('1e3', 'EUR')).toBe('1e3')
  expect(formatSentAmount('12.5', null)).toBe('12.5')
})
