import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { formatJson } from '../../../shared/json/format.ts'
import { sentText } from './sent-text.ts'

const base =
  '\ufeff{"id" : 9007199254740993,\r\n"amount":\t10.00, "n":"\\u00e9 \\/ {", "list": [1,2 ]}\n'
const shown = formatJson(base) ?? ''

test.each([
  ['a number', '10.00', '369.0', base.replace('10.00', '369.0')],
  ['a string', '\\/ {', '} , :', base.replace('\\/ {', '} , :')],
  ['whitespace that only the editor has', '{\n', '{ \n\n\n', base],
  [
    'a new field',
    '"amount"',
    '"new": {\n    "a": 1\n  },\n  "amount"',
    base.replace('\r\n"amount"', '"new":{"a":1},\r\n"amount"'),
  ],
  [
    'a removed field',
    '"amount": 10.00,\n  ',
    '',
    base.replace('"amount":\t10.00, ', '').replace(',\r\n"n"', ', "n"'),
  ],
  ['text that is no longer JSON', '10.00', '10.00 x', base.replace('10.00', '10.00 x')],
  ['a string without its end', '{",', '{,', base.replace('{",', '{,')],
  ['a line break in a string', '\\/ {', '\n  {', base.replace('\\/ {', '\n  {')],
  ['spaces in new values', '10.00', '[1, 2]', base.replace('10.00', '[1, 2]')],
])('an edit of %s changes nothing else of the text that is sent', (_name, from, to, sent) => {
  expect(shown).toContain(from)
  expect(sentText(base, shown.replace(from, to))).toBe(sent)
})

property.prop([fc.json(), fc.nat(3)])(
  'the formatted text is sent as the captured one, however that is spaced',
  (json, indent) => {
    const captured = JSON.stringify(JSON.parse(json), null, indent)
    expect(sentText(captured, formatJson(captured) ?? '')).toBe(captured)
    expect(sentText(json, json)).toBe(json)
  },
)
