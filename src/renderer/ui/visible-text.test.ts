import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { visibleParts, visibleText } from './visible-text.ts'

test('visible text is unchanged', () => {
  expect(visibleParts('Café “Zürich” 日本 👍')).toEqual([
    { shown: 'Café “Zürich” 日本 👍', hidden: false },
  ])
})

test('a bidirectional control character is drawn as a named escape', () => {
  expect(visibleParts('a\u202eb')).toEqual([
    { shown: 'a', hidden: false },
    { shown: '\\u{202e}', hidden: true, name: 'right-to-left override' },
    { shown: 'b', hidden: false },
  ])
})

test('zero-width, control, tag and unpaired characters are escapes', () => {
  expect(visibleText('\u0000\u200b\ufeff\u{e0041}\ud800!\u0085')).toBe(
    '\\u{0}\\u{200b}\\u{feff}\\u{e0041}\\u{d800}!\\u{85}',
  )
})

test.each(['👩‍💻', '👩🏽‍🚀', '🏳️‍🌈', '❤️', '1️⃣', 'می‌خواهم', 'क्‍ष', 'ന്‍'])(
  '%s keeps its joiners and variation selectors',
  (text) => expect(visibleText(text)).toBe(text),
)

test('joiners that hide something are escapes', () => {
  expect(visibleText('pay\u200dpal 1\ufe0f \u200c👍\u200d می\u200c\u200cخواهم')).toBe(
    String.raw`pay\u{200d}pal 1\u{fe0f} \u{200c}👍\u{200d} می\u{200c}\u{200c}خواهم`,
  )
})

property.prop([fc.string({ unit: 'binary' })])(
  "the visible parts are the text's own, in order",
  (text) => {
    let at = 0
    for (const part of visibleParts(text)) {
      if (part.hidden) continue
      const index = text.indexOf(part.shown, at)
      expect(index).toBeGreaterThanOrEqual(at)
      at = index + part.shown.length
    }
  },
)
