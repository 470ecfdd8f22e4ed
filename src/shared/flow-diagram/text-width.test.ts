import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { breakLines, cutToWidth, textWidth } from './text-width.ts'

test('text breaks where possible, and only its last line is shortened', () => {
  expect(breakLines('A part of the purchase is refunded', 120, 2)).toEqual(['A part of the', 'purchase is refund…'])
  expect(breakLines('transaction.clearing.qualified', 120, 3)).toEqual(['transaction.clearing.', 'qualified'])
  expect(breakLines('short', 120, 2)).toEqual(['short'])
  expect(breakLines('MMMMMMM and', 40, 4)).toEqual(['MMM', 'MMM', 'M and'])
})

test.prop([fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 40, max: 400 }), fc.integer({ min: 1, max: 4 })])(
  'no line is wider than allowed, and there are never too many lines',
  (text, width, most) => {
    const lines = breakLines(text, width, most)
    expect(lines.length).toBeLessThanOrEqual(most)
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width)
    expect(textWidth(cutToWidth(text, width))).toBeLessThanOrEqual(width)
  },
)
