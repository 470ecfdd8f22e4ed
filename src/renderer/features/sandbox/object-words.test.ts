import { expect, test } from 'vitest'
import { amountText } from './object-words.ts'

test('an amount has the digits of its currency, and no fewer than were given', () => {
  expect(amountText(12.5, 'EUR')).toBe('12.50 EUR')
  expect(amountText(1640, 'JPY')).toBe('1,640 JPY')
  expect(amountText(-3, 'GBP')).toBe('−3.00 GBP')
  expect(amountText(1.005, 'EUR')).toBe('1.005 EUR')
})

test('what is no amount or currency is shown as it is', () => {
  expect(amountText('12', 'EUR')).toBe('12')
  expect(amountText(12.5, 'nonsense')).toBe('12.5 nonsense')
  expect(amountText(12.5, null)).toBe('12.5 null')
})
