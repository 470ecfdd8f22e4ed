import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { cutToWidth, partsWidth, textWidth, wrapParts, type FontText } from './text-width.ts'

const part = (text: string, font: FontText['font'] = 'plain', gap = 0): FontText => ({
  text,
  font,
  tone: 'plain',
  gap,
})
const lines = (parts: readonly FontText[], width: number, most: number) =>
  wrapParts(parts, width, most).map((line) => line.map(({ text }) => text).join('|'))

test('text breaks where possible, and only its last line is shortened', () => {
  expect(lines([part('A part of the purchase is refunded')], 120, 2)).toEqual([
    'A part of the',
    'purchase is refund…',
  ])
  expect(lines([part('transaction.clearing.qualified')], 120, 3)).toEqual([
    'transaction.clearing.',
    'qualified',
  ])
  expect(lines([part('short')], 120, 2)).toEqual(['short'])
  expect(lines([part('MMMMMMM and')], 40, 4)).toEqual(['MMM', 'MMM', 'M and'])
})

test('a minus sign is as wide as a digit, so amounts stay right-aligned', () => {
  expect(textWidth('\u22120.39 CAD', 'mono')).toBe(textWidth('10.39 CAD', 'mono'))
})

test('parts in several fonts share a line, and break together', () => {
  const parts = [part('Invalid:', 'bold'), part('signed with another secret', 'plain', 4)]
  expect(lines(parts, 220, 2)).toEqual(['Invalid:|signed with another secret'])
  expect(lines(parts, 120, 3)).toEqual(['Invalid:|signed with', 'another secret'])
})

test.prop([
  fc.array(
    fc.record({
      text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      font: fc.constantFrom('plain', 'bold', 'mono'),
    }),
    { maxLength: 3 },
  ),
  fc.integer({ min: 40, max: 400 }),
  fc.integer({ min: 1, max: 4 }),
])('no line is wider than allowed, and there are never too many lines', (all, width, most) => {
  const wrapped = wrapParts(
    all.map(({ text, font }) => part(text, font, 6)),
    width,
    most,
  )
  expect(wrapped.length).toBeLessThanOrEqual(most)
  for (const line of wrapped) expect(partsWidth(line)).toBeLessThanOrEqual(width + 0.001)
  const [first] = all
  if (first !== undefined)
    expect(textWidth(cutToWidth(first.text, width))).toBeLessThanOrEqual(width)
})
