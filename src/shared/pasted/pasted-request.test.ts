import { expect, test } from 'vitest'
import { readPasted } from './pasted-request.ts'

/** Repeats a piece to two million characters. */
const many = (piece: string, count = 2_000_000) => piece.repeat(Math.ceil(count / piece.length))
const http = (head: string, body = '{}') => `POST / HTTP/1.1\n${head}\n\n${body}`
const harOf = (given: object) => JSON.stringify({ method: 'POST', url: 'http://a/', ...given })

test.each<[string, () => string, RegExp | number]>([
  ['quotes of Windows, unclosed', () => `curl.exe http://a/ "${many('\\"')}`, /cut off/],
  ['carets', () => `curl ^"http://a/^" ${many('^"a^\\^"')}`, /cut off/],
  ['quoted words of Windows', () => `curl.exe http://a/ ${many('"a" ')}`, /two URLs/],
  ['words', () => `curl http://a/ ${many('a ')}`, /two URLs/],
  ['options', () => `curl http://a/ ${many('-d a ')}`, 1],
  ['header options', () => `curl http://a/ ${many('-Ha:b ')}`, /more than 1000 headers/],
  ['a long word', () => `curl http://a/ --data-raw '${many('x')}'`, 1],
  ['quotes', () => `curl http://a/ -d ${many(String.raw`'\''`)}'`, 1],
  ['escapes', () => `curl http://a/ "${many('\\"')}`, /cut off/],
  ['Unicode escapes', () => `curl http://a/ -d $'${many('\\ud83d\\ude00')}'`, 1],
  ['dollar signs and backticks', () => `curl http://a/ ${many('$ ')}\``, /substitution/],
  ['a header of spaces', () => `curl http://a/ -H 'a${many(' ')}x'`, 1],
  ['wrapped lines', () => http(`x: y${many('\n z', 120_000)}`), 1],
  ['long wrapped lines', () => http(`x: y${many('\n z')}`), /No request found/],
  ['a body of spaces', () => http('a: b', `${many(' ')}x`), 1],
  ['a body of lines', () => http('a: b', many(' \r\n', 1_000_000)), 1],
  ['chunks', () => http('Transfer-Encoding: chunked', many('1\r\na\r\n')), 1],
  ['fences', () => `\`\`\`\n${many('\n```  ')}x`, /No request found/],
  ['quoted empty lines', () => many('> \n'), /empty/],
  ['half characters', () => http('a: b', many('\ud800', 700_000)), 1],
  [
    'header objects',
    () => harOf({ headers: Array.from({ length: 60_000 }, () => ({ name: 'a', value: 'b' })) }),
    /more than 1000 headers/,
  ],
  [
    'what is no header',
    () => harOf({ headers: { a: Array.from({ length: 900_000 }, () => 1) } }),
    /more than 1000 headers/,
  ],
  ['a request line', () => `A /${many(' ')}`, /No request found/],
  ['entries', () => `[${many('{},')}{}]`, /666668 requests; the limit is 1000/],
  ['requests of a .http file', () => many('### a\nPOST https://a/\n\n{}\n'), /the limit is 1000/],
  ['labels', () => many('headers={a:1} '), /No request found/],
  ['values', () => many('{a:1} {"b":'), /can't be read as a request/],
  ["PowerShell's escapes", () => `iwr http://a/ -Body "${many('`"')}"`, 1],
  ['fences with requests', () => many('```\nPOST / HTTP/1.1\na: b\n\n{}\n```\n'), 1],
  [
    'a parsed body',
    () =>
      harOf({ headers: { a: 'b' }, body: Array.from({ length: 150_000 }, (_, id) => ({ id })) }),
    1,
  ],
  [
    'a mail in Base64',
    () => `Content-Transfer-Encoding: base64\n\n${many(`${'A'.repeat(76)}\n`)}`,
    /binary/,
  ],
  ['nesting', () => many('[', 1_000_000) + many(']', 1_000_000), /body without headers/],
])('two million characters take one pass: %s', (_, make, outcome) => {
  const bytes = new TextEncoder().encode(make())
  const before = process.threadCpuUsage()
  const pasted = readPasted(bytes)
  const { user, system } = process.threadCpuUsage(before)
  if ('refused' in pasted) expect(pasted.refused).toMatch(outcome as RegExp)
  else expect(pasted.requests).toHaveLength(outcome as number)
  // Half a second of processor time, more on a busy computer; a second pass for
  // each character takes minutes.
  expect((user + system) / 1_000).toBeLessThan(10_000)
})

test("a character's escapes are read together", () => {
  const pasted = readPasted(
    Buffer.from(String.raw`curl http://a/ -d $'\ud83d\ude00 \U0001f600 \u00e9'`),
  )
  const { bodies = [] } = 'requests' in pasted ? (pasted.requests[0] ?? {}) : {}
  expect(Buffer.from(bodies[0] ?? []).toString()).toBe('😀 😀 é')
})

test('quotes of Windows are read as its programs do', () => {
  const pasted = readPasted(
    Buffer.from(String.raw`curl.exe http://a/ -d "{\"a\":\"C:\\x\"}" -H "b: ""c""" -X\"`),
  )
  expect(pasted).toMatchObject({
    requests: [{ method: '"', headers: [['b', '"c"']] }],
  })
  const { bodies = [] } = 'requests' in pasted ? (pasted.requests[0] ?? {}) : {}
  expect(Buffer.from(bodies[0] ?? []).toString()).toBe(String.raw`{"a":"C:\x"}`)
})
