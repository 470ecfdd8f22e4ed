/**
 * Requests that no HTTP client would send, or that clients and servers parse differently, and how the receiver handles each. A
 * golden table, so that a new Node version that parses one differently is noticed.
 */

export interface RawRequest {
  readonly name: string
  /** The bytes sent, as Latin-1. */
  readonly bytes: string
  readonly status: number
  /** The stored values; null for what couldn't be read. */
  readonly stored: {
    readonly method: string | null
    readonly path: string | null
    readonly httpVersion?: string
    readonly headers?: readonly (readonly [string, string])[]
    readonly body?: string
    /** Part of the reason if it is malformed. */
    readonly malformed?: RegExp
  }
}

const HOST = 'Host: a.example\r\n'
const EMPTY = 'Content-Length: 0\r\n\r\n'

function post(target: string, headers: string, body = ''): string {
  return `POST ${target} HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}

/** An unreadable request: its first bytes are kept unchanged. */
function unreadable(name: string, bytes: string, malformed: RegExp, status = 400): RawRequest {
  return { name, bytes, status, stored: { method: null, path: null, headers: [], malformed } }
}

const longPath = `/h/${'a'.repeat(16_000)}`
const manyHeaders = Array.from({ length: 200 }, (_, index): [string, string] => [
  `X-Header-${index}`,
  String(index),
])

export const rawRequests: readonly RawRequest[] = [
  {
    name: 'a target in absolute form',
    bytes: post('https://a.example/h/a?b=1', HOST, 'hi'),
    status: 200,
    stored: { method: 'POST', path: 'https://a.example/h/a?b=1', body: 'hi' },
  },
  {
    name: 'a # in the target',
    bytes: post('/h/a#b', HOST),
    status: 200,
    stored: { method: 'POST', path: '/h/a#b' },
  },
  {
    name: 'Host twice',
    bytes: post('/h/a', 'Host: a.example\r\nHost: b.example\r\n'),
    status: 200,
    stored: {
      method: 'POST',
      path: '/h/a',
      headers: [
        ['Host', 'a.example'],
        ['Host', 'b.example'],
        ['Content-Length', '0'],
      ],
    },
  },
  {
    name: 'Authorization twice, in two spellings',
    bytes: post('/h/a', `${HOST}Authorization: one\r\naUTHORIZATION: two\r\n`),
    status: 200,
    stored: {
      method: 'POST',
      path: '/h/a',
      headers: [
        ['Host', 'a.example'],
        ['Authorization', 'one'],
        ['aUTHORIZATION', 'two'],
        ['Content-Length', '0'],
      ],
    },
  },
  {
    name: 'Latin-1 bytes in a header',
    bytes: post('/h/a', `${HOST}X-Name: caf\xe9 \xff\r\n`),
    status: 200,
    stored: {
      method: 'POST',
      path: '/h/a',
      headers: [
        ['Host', 'a.example'],
        ['X-Name', 'caf\xe9 \xff'],
        ['Content-Length', '0'],
      ],
    },
  },
  {
    name: 'a header whose name is __proto__',
    bytes: post('/h/a', `${HOST}__proto__: 1\r\nconstructor: 2\r\n`),
    status: 200,
    stored: {
      method: 'POST',
      path: '/h/a',
      headers: [
        ['Host', 'a.example'],
        ['__proto__', '1'],
        ['constructor', '2'],
        ['Content-Length', '0'],
      ],
    },
  },
  {
    name: 'a chunked body',
    bytes: `POST /h/a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n`,
    status: 200,
    stored: { method: 'POST', path: '/h/a', body: 'abcdefg' },
  },
  {
    name: 'an extension of a chunk',
    bytes: `POST /h/a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3;name="a;b"\r\nabc\r\n0\r\n\r\n`,
    status: 200,
    stored: { method: 'POST', path: '/h/a', body: 'abc' },
  },
  {
    name: 'trailers',
    bytes: `POST /h/a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n`,
    status: 200,
    stored: { method: 'POST', path: '/h/a', body: 'abc' },
  },
  {
    name: 'HTTP/1.0 without Host',
    bytes: 'POST /h/a HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi',
    status: 200,
    stored: { method: 'POST', path: '/h/a', httpVersion: '1.0', body: 'hi' },
  },
  {
    name: 'Expect: 100-continue',
    bytes: post('/h/a', `${HOST}Expect: 100-continue\r\n`, 'hi'),
    status: 200,
    stored: { method: 'POST', path: '/h/a', body: 'hi' },
  },
  {
    name: 'an expectation that nobody knows',
    bytes: post('/h/a', `${HOST}Expect: coffee\r\n`, 'hi'),
    status: 200,
    stored: { method: 'POST', path: '/h/a', body: 'hi' },
  },
  {
    name: 'HEAD',
    bytes: `HEAD /h/a HTTP/1.1\r\n${HOST}\r\n`,
    status: 200,
    stored: { method: 'HEAD', path: '/h/a' },
  },
  {
    name: 'OPTIONS *',
    bytes: `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
    status: 200,
    stored: { method: 'OPTIONS', path: '*' },
  },
  {
    name: 'CONNECT',
    bytes: `CONNECT a.example:443 HTTP/1.1\r\n${HOST}\r\n`,
    status: 200,
    stored: { method: 'CONNECT', path: 'a.example:443' },
  },
  {
    name: 'PROPFIND',
    bytes: `PROPFIND /h/a HTTP/1.1\r\n${HOST}${EMPTY}`,
    status: 200,
    stored: { method: 'PROPFIND', path: '/h/a' },
  },
  {
    name: 'an upgrade to a WebSocket',
    bytes: `GET /h/a HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: YQ==\r\n\r\n`,
    status: 200,
    stored: { method: 'GET', path: '/h/a' },
  },
  {
    name: 'no Host',
    bytes: post('/h/a', ''),
    status: 200,
    stored: { method: 'POST', path: '/h/a', headers: [['Content-Length', '0']] },
  },
  {
    name: 'an empty query',
    bytes: post('/h/a?', HOST),
    status: 200,
    stored: { method: 'POST', path: '/h/a?' },
  },
  {
    name: 'escapes that are none',
    bytes: post('/h/%zz%00', HOST),
    status: 200,
    stored: { method: 'POST', path: '/h/%zz%00' },
  },
  {
    name: 'a path of 16,000 characters',
    bytes: post(longPath, HOST),
    status: 200,
    stored: { method: 'POST', path: longPath },
  },
  {
    name: '200 headers',
    bytes: post('/h/a', manyHeaders.map((header) => `${header.join(': ')}\r\n`).join('')),
    status: 200,
    stored: { method: 'POST', path: '/h/a', headers: [...manyHeaders, ['Content-Length', '0']] },
  },
  unreadable('a method that is none', `BREW /h/a HTTP/1.1\r\n${HOST}${EMPTY}`, /HTTP method/),
  unreadable('a byte above 0x7f in the target', post('/h/caf\xe9', HOST), /invalid URL/),
  unreadable(
    'a header folded over two lines',
    `POST /h/a HTTP/1.1\r\n${HOST}X-A: 1\r\n  2\r\n${EMPTY}`,
    /header has an invalid character/,
  ),
  unreadable(
    'lines that end with a line feed alone',
    `POST /h/a HTTP/1.1\n${HOST.replace('\r', '')}\n`,
    /LF only/,
  ),
  unreadable(
    'Content-Length twice',
    `POST /h/a HTTP/1.1\r\n${HOST}Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi`,
    /two contradicting body lengths/,
  ),
  unreadable(
    'Content-Length twice, alike',
    `POST /h/a HTTP/1.1\r\n${HOST}Content-Length: 2\r\ncontent-length:  2\r\n\r\nhi`,
    /Content-Length header twice, with the same value/,
  ),
  unreadable(
    'Content-Length with Transfer-Encoding',
    `POST /h/a HTTP/1.1\r\n${HOST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    /Transfer-Encoding/,
  ),
  {
    name: 'Transfer-Encoding: xchunked',
    bytes: `POST /h/a HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    status: 400,
    stored: { method: 'POST', path: '/h/a', body: '', malformed: /Transfer-Encoding/ },
  },
  {
    name: 'a chunk whose length is no number',
    bytes: `POST /h/a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n`,
    status: 400,
    stored: { method: 'POST', path: '/h/a', body: 'abc', malformed: /length of a body chunk/ },
  },
  unreadable(
    'a space before the colon',
    `POST /h/a HTTP/1.1\r\n${HOST}Content-Length : 2\r\n\r\nhi`,
    /header has an invalid character/,
  ),
  unreadable(
    'NUL in a header',
    `POST /h/a HTTP/1.1\r\n${HOST}X-A: a\0b\r\n${EMPTY}`,
    /header has an invalid character/,
  ),
]
