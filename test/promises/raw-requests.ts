/**
 * Requests that no HTTP client would send, or that clients and servers parse differently, and how
 * the receiver handles each. A golden table, so that a new Node version that parses one differently
 * is noticed.
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

/** Returns a readable request to `/h/a`, unless `stored` says otherwise. */
function readable(
  name: string,
  bytes: string,
  stored: Partial<RawRequest['stored']> = {},
): RawRequest {
  return { name, bytes, status: 200, stored: { method: 'POST', path: '/h/a', ...stored } }
}

/** Returns an unreadable request: its first bytes are kept unchanged. */
function unreadable(name: string, bytes: string, malformed: RegExp, status = 400): RawRequest {
  return { name, bytes, status, stored: { method: null, path: null, headers: [], malformed } }
}

const longPath = `/h/${'a'.repeat(16_000)}`
const manyHeaders = Array.from({ length: 200 }, (_, index): [string, string] => [
  `X-Header-${index}`,
  String(index),
])

export const rawRequests: readonly RawRequest[] = [
  readable('a target in absolute form', post('https://a.example/h/a?b=1', HOST, 'hi'), {
    path: 'https://a.example/h/a?b=1',
    body: 'hi',
  }),
  readable('a # in the target', post('/h/a#b', HOST), { path: '/h/a#b' }),
  readable('Host twice', post('/h/a', 'Host: a.example\r\nHost: b.example\r\n'), {
    headers: [
      ['Host', 'a.example'],
      ['Host', 'b.example'],
      ['Content-Length', '0'],
    ],
  }),
  readable(
    'Authorization twice, in two spellings',
    post('/h/a', `${HOST}Authorization: one\r\naUTHORIZATION: two\r\n`),
    {
      headers: [
        ['Host', 'a.example'],
        ['Authorization', 'one'],
        ['aUTHORIZATION', 'two'],
        ['Content-Length', '0'],
      ],
    },
  ),
  readable('Latin-1 bytes in a header', post('/h/a', `${HOST}X-Name: caf\xe9 \xff\r\n`), {
    headers: [
      ['Host', 'a.example'],
      ['X-Name', 'caf\xe9 \xff'],
      ['Content-Length', '0'],
    ],
  }),
  readable(
    'a header whose name is __proto__',
    post('/h/a', `${HOST}__proto__: 1\r\nconstructor: 2\r\n`),
    {
      headers: [
        ['Host', 'a.example'],
        ['__proto__', '1'],
        ['constructor', '2'],
        ['Content-Length', '0'],
      ],
    },
  ),
  readable(
    'a chunked body',
    `POST /h/a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n`,
    { body: 'abcdefg' },
  ),
  readable(
    'an extension of a chunk',
    `POST /h/a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3;name="a;b"\r\nabc\r\n0\r\n\r\n`,
    { body: 'abc' },
  ),
  readable(
    'trailers',
    `POST /h/a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n`,
    { body: 'abc' },
  ),
  readable('HTTP/1.0 without Host', 'POST /h/a HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi', {
    httpVersion: '1.0',
    body: 'hi',
  }),
  readable('Expect: 100-continue', post('/h/a', `${HOST}Expect: 100-continue\r\n`, 'hi'), {
    body: 'hi',
  }),
  readable('an expectation that nobody knows', post('/h/a', `${HOST}Expect: coffee\r\n`, 'hi'), {
    body: 'hi',
  }),
  readable('HEAD', `HEAD /h/a HTTP/1.1\r\n${HOST}\r\n`, { method: 'HEAD' }),
  readable('OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, { method: 'OPTIONS', path: '*' }),
  readable('CONNECT', `CONNECT a.example:443 HTTP/1.1\r\n${HOST}\r\n`, {
    method: 'CONNECT',
    path: 'a.example:443',
  }),
  readable('PROPFIND', `PROPFIND /h/a HTTP/1.1\r\n${HOST}${EMPTY}`, { method: 'PROPFIND' }),
  readable(
    'an upgrade to a WebSocket',
    `GET /h/a HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: YQ==\r\n\r\n`,
    { method: 'GET' },
  ),
  readable('no Host', post('/h/a', ''), { headers: [['Content-Length', '0']] }),
  readable('an empty query', post('/h/a?', HOST), { path: '/h/a?' }),
  readable('escapes that are none', post('/h/%zz%00', HOST), { path: '/h/%zz%00' }),
  readable('a path of 16,000 characters', post(longPath, HOST), { path: longPath }),
  readable(
    '200 headers',
    post('/h/a', manyHeaders.map((header) => `${header.join(': ')}\r\n`).join('')),
    { headers: [...manyHeaders, ['Content-Length', '0']] },
  ),
  unreadable(
    '60,000 header lines',
    `POST /h/a HTTP/1.1\r\n${'a:\r\n'.repeat(60_000)}${EMPTY}`,
    /headers have more than 64 KiB or 500 lines/,
    431,
  ),
  {
    name: '501 header lines',
    bytes: `POST /h/a HTTP/1.1\r\n${'a:\r\n'.repeat(500)}${EMPTY}`,
    status: 431,
    stored: {
      method: 'POST',
      path: '/h/a',
      headers: Array.from({ length: 500 }, () => ['a', ''] as const),
      malformed: /headers have more than 64 KiB or 500 lines/,
    },
  },
  {
    name: '501 trailer lines',
    bytes: `POST /h/a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n${'a:\r\n'.repeat(501)}\r\n`,
    status: 431,
    stored: {
      method: 'POST',
      path: '/h/a',
      body: 'hi',
      malformed: /trailers have more than 64 KiB or 500 lines/,
    },
  },
  {
    name: 'HTTP/2.0 in the request line',
    bytes: `POST /h/a HTTP/2.0\r\n${HOST}Content-Length: 2\r\n\r\nhi`,
    status: 400,
    stored: {
      method: 'POST',
      path: '/h/a',
      httpVersion: '2.0',
      body: 'hi',
      malformed: /says HTTP\/2\.0; the receiver supports HTTP\/1\.1/,
    },
  },
  unreadable('an unknown version', `POST /h/a HTTP/0.8\r\n${HOST}\r\n`, /version/),
  unreadable('a URL with a space', 'GET https://unfinished/ foo HTTP/1.1\r\n\r\n', /request line/),
  unreadable('garbage instead of HTTP', '\x01\x02\x03garbage\r\n\r\n', /HTTP method/),
  unreadable(
    'TLS inside HTTPS',
    '\x16\x03\x01garbage\r\n\r\n',
    /^TLS handshake inside an HTTPS connection\./,
  ),
  unreadable(
    'the preface of HTTP/2',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
    /HTTP\/2/,
  ),
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
