import { expect, test } from 'vitest'
import { amountText } from './amount.ts'

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
