/** What a line of an export has to be before it is taken: what no receiver could have received is refused. */
import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { writeCurl } from './curl-command.ts'
import { readRecord, writeRecord } from './record.ts'

const delivery: Delivery = {
  ...deliveryRow(1, { id: '0190-one', path: '/h/one?b=%20é', event: 'transaction.auth', hookId: null, note: 'two\nlines' }),
  httpVersion: '1.1',
  headers: [['X-Name', 'Jos\u00e9\t']],
  trailers: [],
  bodySha256: hash('sha256', '{}', 'hex'),
  remote: '127.0.0.1:1',
  replayOf: null,
}
const body = Buffer.from('{}')
const lineOf = (change: object) => JSON.stringify({ ...(JSON.parse(writeRecord(delivery, body)) as object), ...change })

test('what was received is read as it was', () => {
  const read = readRecord(lineOf({}))
  expect('record' in read && read.record).toMatchObject({ path: delivery.path, headers: delivery.headers, note: delivery.note })
})

test('trailers are read as they were; a line of an earlier version has none', () => {
  const trailers: [string, string][] = [
    ['X-Sum', '1'],
    ['x-sum', '2'],
  ]
  const withTrailers = readRecord(writeRecord({ ...delivery, trailers }, body))
  expect('record' in withTrailers && withTrailers.record.trailers).toEqual(trailers)
  const earlier = readRecord(lineOf({ trailers: undefined }))
  expect('record' in earlier && earlier.record.trailers).toEqual([])
})

describe('a line of a file that nobody exported is refused', () => {
  test.each([
    ['event', 'transaction.auth\nrm -rf ~'],
    ['environment', 'sandbox\u001b[2J'],
    ['hookId', 'one\r'],
    ['method', 'POST /other HTTP/1.1\r\nHost: elsewhere\r\n'],
    ['path', '/h/one\r\nX-Own: header'],
    ['httpVersion', '1.1\n'],
    ['remote', 'someone\n'],
    ['headers', [['x-one', 'a\r\nx-two: b']]],
    ['headers', [['x-one\r\nx-two', 'b']]],
    ['headers', [['x-one', '\u2028']]],
    ['trailers', [['x-one', 'a\r\nx-two: b']]],
    ['headers', [['x-one', 'a\u0000']]],
    ['attemptOf', 'one\n'],
  ])('for its %s', (field, value) => {
    const read = readRecord(lineOf({ [field]: value }))
    expect(read).toEqual({ refused: expect.stringContaining(`"${field}`) as unknown })
  })
})

test('nothing of a delivery can become a command of its own beside the one that sends it', () => {
  const hostile: Delivery = { ...delivery, event: 'x\ntouch /tmp/own', id: 'y\ntouch /tmp/own', method: "P'; touch /tmp/own; '" }
  const script = writeCurl(hostile, body, {
    prefixes: ['service'],
    hookUrl: null,
    secret: null,
    trust: { receiver: null, caFile: null },
  })
  expect(script.split('\n').filter((line) => /^\s*touch/.test(line))).toEqual([])
  expect(script.split('\n')[0]).toContain(String.raw`x\u000atouch`)
})

test('a command for the receiver names the authority that its certificate verifies with', () => {
  const url = 'https://127.0.0.1:4783/h/one'
  const trust = { receiver: 'https://127.0.0.1:4783', caFile: '/data/tls/ca.pem' }
  const script = writeCurl(delivery, body, { prefixes: ['service'], hookUrl: url, secret: null, trust })
  expect(script).toContain("--cacert '/data/tls/ca.pem'")
})
