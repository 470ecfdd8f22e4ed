import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import { BLANK_DELIVERY, type Delivery } from '../../shared/model/delivery.ts'
import { ownId } from '../../../test/support/id-of-name.ts'
import { LineReader } from './line-reader.ts'
import { readRecord as readContents, writeRecord } from './record.ts'
import { writeCurl } from './curl-entry.ts'

const delivery: Delivery = {
  ...BLANK_DELIVERY,
  ...deliveryRow(1, {
    id: ownId('one'),
    path: '/h/one?b=%20é',
    event: 'transaction.auth',
    hookId: null,
    note: 'two\nlines',
  }),
  headers: [['X-Name', 'Jos\u00e9\t']],
  bodySha256: hash('sha256', '{}', 'hex'),
  remote: '127.0.0.1:1',
}
const body = Buffer.from('{}')
function readRecord(line: string) {
  const reader = new LineReader({ line: line.length, text: line.length })
  reader.add(line)
  return readContents(reader.end())
}
const lineOf = (change: object) =>
  JSON.stringify({ ...(JSON.parse(writeRecord(delivery, body)) as object), ...change })

test('a received delivery is read unchanged', () => {
  const read = readRecord(lineOf({}))
  expect('record' in read && read.record).toMatchObject({
    path: delivery.path,
    headers: delivery.headers,
    note: delivery.note,
  })
})

test('trailers are read unchanged; lines of earlier versions lack them', () => {
  const trailers: [string, string][] = [
    ['X-Sum', '1'],
    ['x-sum', '2'],
  ]
  const withTrailers = readRecord(writeRecord({ ...delivery, trailers }, body))
  expect('record' in withTrailers && withTrailers.record.trailers).toEqual(trailers)
  const earlier = readRecord(lineOf({ trailers: undefined }))
  expect('record' in earlier && earlier.record.trailers).toEqual([])
})

test.each([
  ['event', 'transaction.auth\nrm -rf ~'],
  ['environment', 'sandbox\u001b[2J'],
  ['hookId', 'one\r'],
  ['method', 'POST /other HTTP/1.1\r\nHost: elsewhere\r\n'],
  ['path', '/h/one\r\nX-Own: header'],
  ['httpVersion', '1.1\n'],
  ['remote', 'someone\n'],
  ['headers', [['x-one', 'a\r\nx-two: b']]],
  ['headers', [['x-one', '\u2028']]],
  ['trailers', [['x-one', 'a\r\nx-two: b']]],
  ['headers', [['x-one', 'a\u0000']]],
  ['attemptOf', 'one\n'],
])("a line that isn't from an export is rejected for its %s", (field, value) => {
  const read = readRecord(lineOf({ [field]: value }))
  expect(read).toEqual({
    refused: expect.stringMatching(new RegExp(`^${field}.* (must be one line|has a character)`)),
  })
})

describe('an error names the field and its requirement', () => {
  test.each([
    [{ note: 'n'.repeat(2_431) }, 'note is 2,431 characters; the limit is 2,000.'],
    [{ answer: { status: 600, ms: 1 } }, 'answer.status must be 100–599.'],
    [{ verdict: 'sure' }, 'verdict must be valid, invalid, unsigned or unknown-hook.'],
    ...['latest', '~1', '0190-one', 'A'.repeat(36), '../x', ownId('x').toUpperCase()].map(
      (id): [object, string] => [{ id }, 'id must be a UUID in lower case.'],
    ),
    [{ receivedAt: 'yesterday' }, 'receivedAt must be a time like 2026-11-21T09:30:00.000Z.'],
    [{ path: undefined }, 'path is missing.'],
    [{ truncated: 'no' }, 'truncated must be true or false.'],
    [
      { headers: [['x', 'v'.repeat(140_000)]] },
      'headers together are 140,005 bytes; the limit is 131,072.',
    ],
    [{ bodySha256: 'none' }, 'bodySha256 must be 64 lower-case hexadecimal digits.'],
    [{ body: 'e30' }, 'body must be Base64.'],
    [{ body: 5 }, 'body must be a string.'],
    [{ bodySize: 3 }, 'bodySize is 3, but the body has 2 bytes.'],
    [{ truncated: true }, 'bodySize is 2, but a truncated body of 2 bytes must have been larger.'],
    [{ countersign: 2 }, "The line isn't a delivery of a Countersign export."],
    [
      { attempt: 0, event: 'e'.repeat(201) },
      'event is 201 characters; the limit is 200. attempt must be an integer from 1 to 1,000,000.',
    ],
    [
      { method: 1, path: 1, httpVersion: 1, remote: 1, note: 1 },
      expect.stringMatching(/^(\w+ must be a string\. ){3}And 2 more fields\.$/),
    ],
  ])('%#', (change, refused) => {
    expect(readRecord(lineOf(change))).toEqual({ refused })
  })

  test('for a truncated body, only the size is checked: the hash covers the whole body', () => {
    expect(
      readRecord(lineOf({ truncated: true, bodySize: 3, bodySha256: '0'.repeat(64) })),
    ).toHaveProperty('record.bodySize', 3)
  })
})

test("a file without a delivery's response is read: it isn't recorded", () => {
  expect(readRecord(lineOf({ response: undefined }))).toHaveProperty('record.response', null)
})

test('no part of a delivery can become a second shell command', () => {
  const hostile: Delivery = {
    ...delivery,
    event: 'x\ntouch /tmp/own',
    id: 'y\ntouch /tmp/own',
    method: "P'; touch /tmp/own; '",
  }
  const script = writeCurl(hostile, body, {
    prefixes: ['service'],
    hookUrl: null,
    secret: null,
    trust: { receiver: null, caFile: null },
  })
  expect(script.split('\n').filter((line) => /^\s*touch/.test(line))).toEqual([])
  expect(script.split('\n')[0]).toContain(String.raw`x\u000atouch`)
})

test('a command for the receiver names the CA that its certificate verifies with', () => {
  const url = 'https://127.0.0.1:4783/h/one'
  const trust = { receiver: 'https://127.0.0.1:4783', caFile: '/data/tls/ca.pem' }
  const script = writeCurl(delivery, body, {
    prefixes: ['service'],
    hookUrl: url,
    secret: null,
    trust,
  })
  expect(script).toContain("--cacert '/data/tls/ca.pem'")
})
