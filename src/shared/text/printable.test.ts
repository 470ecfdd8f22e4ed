import { expect, test } from 'vitest'
import { printableText, readableHeader } from './printable.ts'

test.each([
  ['\u001b[31mred', '\\u001b[31mred'],
  ['\u009b31m', '\\u009b31m'],
  ['a\r\nb\tc\u0000', 'a\\u000d\\u000ab\\u0009c\\u0000'],
  ['a\u202eb\u2066c\u200bd\ufeff', 'a\\u202eb\\u2066c\\u200bd\\ufeff'],
  ['\u2028\u2029', '\\u2028\\u2029'],
  ['\ud800 alone', '\\ud800 alone'],
  ['\u{e0041}', '\\udb40\\udc41'],
  ['👩‍💻 می‌خواهم', '👩‍💻 می‌خواهم'],
  ['pay\u200dpal', 'pay\\u200dpal'],
  ['Straße ☕ 日本 café', 'Straße ☕ 日本 café'],
])('%j becomes %j', (text, expected) => {
  expect(printableText(text)).toBe(expected)
})

test.each([
  ['Zürich 日本', Buffer.from('Zürich 日本').toString('latin1'), 'Zürich 日本'],
  ['Latin-1', 'Z\xfcrich', 'Z\xfcrich'],
  ['ASCII', 'plain', 'plain'],
])('a header value in %s is read as its text', (_, stored, text) => {
  expect(readableHeader(stored)).toBe(text)
})
