import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { readPasted } from './pasted-request.ts'

const NAME = "McDonald's Café 東京"
const BODY = `{"id":"1","amount":10.00,"brand":{"name":"${NAME}","list":[1,"a/b"]}}`
const PATH = '/in/cards?env=test'
const URL_ = `https://hooks.example.com${PATH}`
const SIGNATURE = 'mI+qq0xGQ3l6Oq0Jb5n5E1nq0c5c3m0o8n1Yx2aBcD8='
const TIMESTAMP = '1795411006517'
const HEADERS: readonly (readonly [string, string])[] = [
  ['Host', 'hooks.example.com'],
  ['Content-Type', 'application/json'],
  ['x-service-signature', SIGNATURE],
  ['x-service-timestamp', TIMESTAMP],
]
const low = Object.fromEntries(HEADERS.map(([name, value]) => [name.toLowerCase(), value]))
const lists = Object.fromEntries(Object.entries(low).map(([name, value]) => [name, [value]]))
const pairs = HEADERS.map(([name, value]) => ({ name, value }))
const base64 = (text: string) => Buffer.from(text).toString('base64')
const written = (colon = ': ', end = '\n') =>
  HEADERS.map(([name, value]) => name + colon + value).join(end)
const raw = (body = BODY, end = '\n') =>
  `POST ${PATH} HTTP/1.1${end}${written(': ', end)}${end}${end}${body}`
const single = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const doubled = (text: string) => `"${text.replaceAll('"', '""')}"`
const octal = (text: string) =>
  `$'${[...Buffer.from(text)]
    .map((byte) =>
      byte < 32 || byte > 126
        ? `\\${byte.toString(8).padStart(3, '0')}`
        : `${byte === 39 || byte === 92 ? '\\' : ''}${String.fromCharCode(byte)}`,
    )
    .join('')}'`
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const power = (text: string) => `"${text.replaceAll(/["`$]/g, '`$&')}"`
/** Writes Chrome's quotes for the Windows command prompt. */
const carets = (text: string) =>
  `^"${text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll(/[^a-zA-Z0-9\s_\-:=+~'/.,?;()*`]/gu, '^$&')}^"`
const curl = (
  quote: (text: string) => string,
  { name = 'curl', data = '--data-raw', join = ' ' } = {},
) =>
  [
    `${name} ${quote(URL_)}`,
    ...HEADERS.map(([header, value]) => `-H ${quote(`${header}: ${value}`)}`),
    `${data} ${quote(BODY)}`,
  ].join(join)
const har = (postData: object, more: object = {}) => ({
  log: {
    version: '1.2',
    entries: [
      { request: { method: 'GET', url: 'https://a.example/', headers: [], bodySize: 0 } },
      {
        startedDateTime: '2026-11-26T15:04:02Z',
        request: { method: 'POST', url: URL_, headers: pairs, postData, ...more },
        response: { status: 200, headers: pairs, content: { text: 'no' } },
      },
    ],
  },
})
const quotedPrintable = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) =>
      byte === 10 || (byte > 31 && byte < 127 && byte !== 61)
        ? String.fromCharCode(byte)
        : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('')
    .replaceAll(/[^\n=]{60}(?=[^\n=])/g, '$&=\r\n')
const python = `{'Host': 'hooks.example.com', 'X-Service-Signature': '${SIGNATURE}', 'X-Service-Timestamp': '${TIMESTAMP}'}`
const postman = (body: object, url: unknown = { raw: URL_, host: ['hooks'] }) => ({
  info: {
    name: 'Hooks',
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  item: [
    {
      name: 'cards',
      item: [
        {
          name: 'purchase',
          request: {
            method: 'POST',
            header: [
              { key: 'x-off', value: 'a', disabled: true },
              ...HEADERS.map(([key, value]) => ({ key, value, type: 'text' })),
            ],
            body,
            url,
          },
          response: [{ name: 'saved', originalRequest: { header: [] }, header: [], body: 'no' }],
        },
      ],
    },
  ],
})
const insomnia = {
  _type: 'export',
  __export_format: 4,
  resources: [
    { _id: 'wrk_1', _type: 'workspace', name: 'Hooks' },
    {
      _id: 'req_1',
      _type: 'request',
      method: 'POST',
      url: URL_,
      headers: pairs,
      parameters: [],
      body: { mimeType: 'application/json', text: BODY },
    },
  ],
}
const bin = {
  uuid: 'a2a6a4c0-0000-4000-8000-000000000000',
  type: 'web',
  ip: '203.0.113.7',
  method: 'POST',
  content: BODY,
  query: { env: 'test' },
  headers: lists,
  url: URL_,
  created_at: '2026-11-26 15:04:02',
}
const ngrok = {
  uri: '/api/requests/http/1',
  start: '2026-11-26T15:04:02Z',
  request: {
    method: 'POST',
    proto: 'HTTP/1.1',
    headers: lists,
    uri: PATH,
    raw: base64(raw(BODY, '\r\n')),
  },
  response: { raw: base64('HTTP/1.1 200 OK\r\n\r\n') },
}
const gateway = { httpMethod: 'POST', path: '/in/cards', queryStringParameters: { env: 'test' } }
const parsed = JSON.parse(BODY) as object
const cgi = HEADERS.map(([name, value]) => [
  `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
  value,
])

/** `exact`: the first body is the request's. `tried`: one of them is. */
type Outcome = 'exact' | 'tried' | RegExp

const table: readonly (readonly [
  name: string,
  text: string | Buffer | object,
  outcome: Outcome,
])[] = [
  [
    'Lambda, version 1',
    { ...gateway, headers: low, body: base64(BODY), isBase64Encoded: true },
    'exact',
  ],
  [
    'API Gateway with a stage',
    {
      ...gateway,
      headers: null,
      multiValueHeaders: lists,
      body: BODY,
      requestContext: { path: '/in/cards' },
    },
    'exact',
  ],
  [
    'Lambda, version 2',
    {
      version: '2.0',
      rawPath: '/in/cards',
      rawQueryString: 'env=test',
      headers: low,
      requestContext: { http: { method: 'POST' } },
      body: base64(BODY),
      isBase64Encoded: true,
    },
    'exact',
  ],
  [
    'load balancer',
    {
      ...gateway,
      requestContext: { elb: { targetGroupArn: 'arn' } },
      multiValueHeaders: lists,
      multiValueQueryStringParameters: { env: ['test'] },
      body: base64(BODY),
      isBase64Encoded: true,
    },
    'exact',
  ],
  [
    'CloudFront',
    {
      Records: [
        {
          cf: {
            request: {
              method: 'POST',
              uri: '/in/cards',
              querystring: 'env=test',
              headers: Object.fromEntries(HEADERS.map(([key, value]) => [key, [{ key, value }]])),
              body: {
                action: 'read-only',
                data: base64(BODY),
                encoding: 'base64',
                inputTruncated: false,
              },
            },
          },
        },
      ],
    },
    'exact',
  ],
  ['Base64 that nothing marks', { url: URL_, headers: low, body: base64(BODY) }, 'exact'],
  [
    'Base64 with other characters',
    { ...gateway, headers: low, body: BODY, isBase64Encoded: true },
    /marked as Base64/,
  ],
  ['webhook.site', bin, 'exact'],
  ['webhook.site, a list', { data: [bin], total: 1, per_page: 50 }, 'exact'],
  [
    'webhook.site without its body',
    { ...bin, content: '', extra: BODY },
    /body wasn't found\. If it is one of extra, rename/,
  ],
  ['ngrok', ngrok, 'exact'],
  ['ngrok, a list', { uri: '/api/requests/http', requests: [ngrok] }, 'exact'],
  [
    'Hookdeck',
    {
      id: 'req_1',
      data: {
        headers: low,
        body: BODY,
        path: '/in/cards',
        query: 'env=test',
        parsed_query: { env: 'test' },
      },
    },
    'exact',
  ],
  ['Hookdeck, parsed', { id: 'req_1', data: { headers: low, body: parsed, path: PATH } }, 'tried'],
  ['Postman', postman({ mode: 'raw', raw: BODY, options: { raw: { language: 'json' } } }), 'exact'],
  ['Postman with a form', postman({ mode: 'formdata', formdata: [] }), /body of mode formdata/],
  [
    'Postman with a variable',
    postman({ mode: 'raw', raw: BODY }, '{{base}}/in'),
    /variable \{\{base\}\}/,
  ],
  ['Insomnia', insomnia, 'exact'],
  [
    'a buffer of Node.js',
    { url: URL_, headers: low, body: { type: 'Buffer', data: [...Buffer.from(BODY)] } },
    'exact',
  ],
  [
    'headers as a list of names and values',
    { url: URL_, rawHeaders: HEADERS.flat(), rawBody: BODY, body: parsed },
    'exact',
  ],
  ['a parsed body', { method: 'POST', url: URL_, headers: low, body: parsed }, 'tried'],
  [
    'a parsed body with its numbers',
    `{"url":"${URL_}","headers":${JSON.stringify(low)},"body":${BODY}}`,
    'exact',
  ],
  ['headers beside the body', { ...low, body: parsed, query: {}, timestamp: 1 }, 'tried'],
  ['an unread body', { url: URL_, headers: low, message: BODY }, /one of message, rename/],
  ['no body at all', { url: URL_, headers: low }, /signed, but has no body/],
  [
    'lines of JSON',
    `{"level":"info"}\n${JSON.stringify({ url: URL_, headers: low, body: BODY })}\n`,
    'exact',
  ],

  ['bash, octal', curl(octal), 'exact'],
  ['bash, set -x', `+ ${curl(octal)}`, 'exact'],
  [
    'bash, printf %q',
    curl((text) =>
      /[^ -~]/.test(text) ? octal(text) : text.replaceAll(/[^\w@%+=:,./-]/g, '\\$&'),
    ),
    'exact',
  ],
  ['bash, an unknown escape', `curl ${URL_} -d $'a\\qb'`, /unknown escape \(\\q\)/],
  ['a shell with its prompt', `dev@laptop:~/app$ ${curl(single)}`, 'exact'],
  ['zsh with a theme', `➜  app ${curl(single)}`, 'exact'],
  [
    'a shell with prompts of further lines',
    `$ ${curl(single, { join: ' \\\n> ' })}\n{"ok":true}\n$ `,
    'exact',
  ],
  ['PowerShell', `PS C:\\app> ${curl(power, { name: 'curl.exe', join: ' `\n  ' })}`, 'exact'],
  ['PowerShell with prompts', curl(power, { name: 'curl.exe', join: ' `\n>> ' }), 'exact'],
  [
    'PowerShell, single quotes',
    curl((text) => `'${text.replaceAll("'", "''").replaceAll('"', '\\"')}'`, { name: 'curl.exe' }),
    'exact',
  ],
  [
    'PowerShell of Chrome',
    `$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession\nInvoke-WebRequest -UseBasicParsing -Uri ${power(URL_)} \`\n-Method "POST" \`\n-WebSession $session \`\n-Headers @{\n${HEADERS.map(([name, value]) => `  ${power(name)}=${power(value)}`).join('\n')}\n} \`\n-ContentType "application/json" \`\n-Body ([System.Text.Encoding]::UTF8.GetBytes(${power(BODY).replace('é', '$([char]0x00e9)')}))`,
    'exact',
  ],
  [
    'PowerShell with a variable',
    `Invoke-RestMethod ${URL_} -Method Post -Body $body`,
    /variable or substitution/,
  ],
  ['Windows, doubled quotes', curl(doubled), 'exact'],
  ['Windows with a prompt', `C:\\Users\\dev>${curl(doubled, { join: ' ^\r\n' })}`, 'exact'],
  ['Windows, carets', curl(carets, { join: ' ^\r\n  ' }), 'exact'],
  [
    'Windows, backslashes',
    curl((text) => `"${text.replaceAll('"', '\\"')}"`, { name: 'curl.exe' }),
    'exact',
  ],
  ['doubled and single quotes', `curl '${URL_}' -H 'a: b' -d "{""a"":1}"`, /doubled quotes/],
  ['two URLs', `curl ${URL_} --unknown value -d '{}'`, /two URLs/],
  ['data in the URL', `curl -G ${URL_} -d a=b`, /doesn't read -G/],
  [
    'typographic quotes',
    curl((text) => `“${text.replaceAll('"', '\\"')}”`)
      .replaceAll(' -H', ' –H')
      .replace('--data', '–data'),
    'exact',
  ],
  ['no-break spaces between words', curl(single, { join: '\u00a0' }), 'exact'],
  ['spaces behind the end of a line', curl(single, { join: ' \\ \n  ' }), 'exact'],
  ['Windows, spaces behind the end of a line', curl(carets, { join: ' ^ \r\n  ' }), 'exact'],
  [
    'PowerShell, spaces behind the end of a line',
    curl(power, { name: 'curl.exe', join: ' ` \n  ' }),
    'exact',
  ],
  [
    'a log line with an unknown escape',
    `POST ${PATH} headers: { 'x-service-signature': 'a\\eb' } body: ${JSON.stringify(BODY)}`,
    /No request found/,
  ],

  ['a table', `${written('\t')}\n\n${BODY}`, 'exact'],
  ['a table with a title', `Request Headers\nName\tValue\n${written('\t')}\n\n${BODY}`, 'exact'],
  [
    'a table of Markdown',
    `| Name | Value |\n| --- | --- |\n${HEADERS.map(([name, value]) => `| ${name} | \`${value}\` |`).join('\n')}\n\n${BODY}`,
    'exact',
  ],
  ['names and values on their own lines', `${written(':\n')}\n\n${BODY}`, 'exact'],
  [
    'members of an object',
    `${HEADERS.map(([name, value]) => `  "${name}": "${value}",`).join('\n')}\n\n${BODY}`,
    'exact',
  ],
  [
    'pseudo-headers',
    `:method: POST\n:authority: hooks.example.com\n:path: ${PATH}\n:scheme: https\n${written().split('\n').slice(1).join('\n')}\n\n${BODY}`,
    'exact',
  ],
  ['CGI', `${cgi.map((header) => header.join(': ')).join('\n')}\n\n${BODY}`, 'exact'],
  [
    'CGI as PHP prints it',
    `[REQUEST_METHOD] => POST\n[REQUEST_URI] => ${PATH}\n${cgi.map(([name, value]) => `[${name}] => ${value}`).join('\n')}\n\n${BODY}`,
    'exact',
  ],
  [
    'CGI as JSON',
    { REQUEST_METHOD: 'POST', REQUEST_URI: PATH, ...Object.fromEntries(cgi), body: BODY },
    'exact',
  ],
  [
    'names with underscores',
    `x_service_signature: ${SIGNATURE}\nX_SERVICE_TIMESTAMP: ${TIMESTAMP}\n\n${BODY}`,
    'exact',
  ],
  ['a no-break space', raw().replaceAll(': ', ':\u00a0'), 'tried'],
  ['a zero-width space', raw().replace(SIGNATURE, `\u200b${SIGNATURE}\u200b`), 'exact'],
  ['an empty line of a no-break space', raw().replace('\n\n', '\n\u00a0\n'), 'exact'],
  [
    'a value that ends like a no-break space',
    raw().replace('Host:', 'x-name: voilà\nHost:'),
    'exact',
  ],

  [
    'a .http file',
    `### purchase\n# @name purchase\nPOST ${URL_}\n${written()}\n\n${BODY}\n\n###\n`,
    'tried',
  ],
  [
    'a .http file with comments and a script',
    `@token = a\n\n### one\nPOST https://hooks.example.com/in/cards\n  ?env=test\n// a comment\n${written()}\n\n${BODY}\n\n> {% client.log(1) %}\n`,
    'tried',
  ],
  [
    'a .http file with a variable',
    `### a\nPOST {{host}}/in\n\n{}\n### b\nPOST https://a.example/{{path}}\n\n{}`,
    /variable \{\{\w+\}\}/,
  ],
  [
    'a .http file with a file',
    `### a\nPOST ${URL_}\n${written()}\n\n< ./body.json\n`,
    /reads its body from \.\/body\.json/,
  ],
  ['text around a fence', `this one fails:\n\`\`\`http\n${raw()}\n\`\`\`\nany idea?`, 'exact'],
  [
    'two fences',
    `headers:\n\`\`\`\n${written()}\n\`\`\`\nbody:\n\`\`\`json\n${BODY}\n\`\`\``,
    'exact',
  ],
  ['a fence with a command', `I ran\n~~~sh\n$ ${curl(single)}\n~~~\n`, 'exact'],

  [
    'HAR, params',
    har({ mimeType: 'application/x-www-form-urlencoded', params: [{ name: BODY, value: '' }] }),
    'exact',
  ],
  [
    'HAR, Latin-1',
    har({ text: Buffer.from(BODY).toString('latin1') }, { bodySize: Buffer.byteLength(BODY) }),
    'exact',
  ],
  ['HAR, Latin-1 without a size', har({ text: Buffer.from(BODY).toString('latin1') }), 'tried'],
  [
    'HAR, without the body',
    har({}, { bodySize: 40 }),
    /no body for this request, which had 40 bytes/,
  ],

  [
    'a mail',
    `From: a@example.com\nSubject: Webhook fails\n\nHi team,\n\nthis one fails:\n\n${raw()}\n\nThanks,\nBob\n`,
    'exact',
  ],
  [
    'a quoted mail',
    `On Monday, Bob wrote:\n\n${raw().replaceAll(/^/gm, '> ')}\n\nNo idea.\n`,
    'exact',
  ],
  ['a mail quoted twice', raw().replaceAll(/^/gm, '> > '), 'exact'],
  [
    'quoted-printable',
    `Content-Transfer-Encoding: quoted-printable\n\nHi,\n\n${quotedPrintable(raw())}`,
    'exact',
  ],
  [
    'a mail in Base64',
    `Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n${base64(raw()).replaceAll(/.{76}/g, '$&\r\n')}\n`,
    'exact',
  ],
  ['typographic quotes in a body', raw().replaceAll('"', '”'), 'tried'],
  ['no empty line', raw().replace('\n\n', '\n'), 'exact'],
  ['no empty line, with a title', raw().replace('\n\n', '\nBody: '), 'exact'],
  ['titles', `Headers:\n${written()}\n\nBody:\n${BODY}`, 'exact'],
  [
    'a body attached to a header',
    raw().replace('\n\n', ''),
    /attached to the header x-service-timestamp: "\{"id"/,
  ],
  [
    'a line that is no header',
    raw().replace('Host:', 'any idea why?\nHost:'),
    /isn't a header: "any idea why\?"/,
  ],
  [
    'a log line',
    `2026-11-26T15:04:02Z INFO received POST ${PATH} headers=${JSON.stringify(low)} body=${JSON.stringify(BODY)}`,
    'exact',
  ],
  [
    'a log line with a parsed body',
    `[info] POST ${PATH} headers: ${JSON.stringify(low)}, body: ${BODY}`,
    'exact',
  ],
  [
    'a log line of JSON',
    `app[web.1]: ${JSON.stringify({ method: 'POST', url: PATH, headers: low, body: BODY })} (4 ms)`,
    'exact',
  ],
  [
    'a log line of Python',
    `DEBUG POST ${PATH} headers=${python} body=b'${[...Buffer.from(BODY)].map((byte) => (byte > 126 ? `\\x${byte.toString(16)}` : byte === 39 ? "\\'" : String.fromCharCode(byte))).join('')}'`,
    'tried',
  ],
  [
    'a log line of Node.js',
    `POST ${PATH} headers: { host: 'hooks.example.com', 'x-service-signature': '${SIGNATURE}', 'x-service-timestamp': '${TIMESTAMP}' } body: ${JSON.stringify(BODY)}`,
    'exact',
  ],
  ['a log of a container', raw().replaceAll(/^/gm, 'web-1  | '), 'exact'],
  [
    'a mail without a request',
    'From: a@example.com\nSubject: hi\nContent-Type: text/plain\n\nHello\n',
    /No request found/,
  ],
  [
    'a body attached in the middle',
    `POST / HTTP/1.1\nx-service-timestamp: ${TIMESTAMP}${BODY}\nx-service-signature: ${SIGNATURE}`,
    /attached to the header x-service-timestamp/,
  ],
  [
    'Insomnia 5',
    `type: collection.insomnia.rest/5.0\nname: Hooks\ncollection:\n  - url: ${URL_}\n`,
    /Insomnia's YAML isn't read/,
  ],
  [
    'Rack as Ruby prints it',
    `{${cgi.map(([name, value]) => `"${name}"=>"${value}"`).join(', ')}, "REQUEST_METHOD"=>"POST", "body"=>${JSON.stringify(BODY)}}`,
    'exact',
  ],
  ['prose', 'Hello, the webhook fails since Monday.\n', /No request found/],

  ['HTTP with CRLF', raw(BODY, '\r\n'), 'exact'],
  ['HTTP with an absolute target', raw().replace(PATH, URL_), 'exact'],
  ['HTTP as HTTP/2 is shown', raw().replace('HTTP/1.1', 'HTTP/2'), 'exact'],
  [
    'HTTP with chunks',
    raw(chunk(BODY) + chunk('')).replace('Host:', 'Transfer-Encoding: chunked\nHost:'),
    'exact',
  ],
  [
    'a mail with wrapped lines',
    raw(BODY.replace(',"amount"', ',\n"amount"'))
      .replace(SIGNATURE, `${SIGNATURE.slice(0, 30)}\n${SIGNATURE.slice(30)}`)
      .replaceAll(/^/gm, '> '),
    'tried',
  ],
  ['UTF-16, as PowerShell writes it', Buffer.from(`\ufeff${raw()}`, 'utf16le'), 'exact'],
  ['curl of Safari', curl(single, { data: '--data-binary', join: " \\\n-X 'POST' \\\n" }), 'exact'],
  [
    'curl behind a prompt',
    `$ ${curl(single, { name: 'curl -sSXPOST', data: '-d' })}; echo`,
    'exact',
  ],
  ['curl with a file', `curl ${URL_} -d @body.json`, /reads its body from the file body\.json/],
  ['curl with a substitution', `curl ${URL_} -H "x: $(cat secret)" -d '{}'`, /which isn't run/],
  ['curl cut off', `curl ${URL_} -d '{"id"`, /cut off: a quotation mark/],
  ['HAR in Base64', har({ text: base64(BODY), encoding: 'base64' }), 'exact'],
  ['HAR cut off', JSON.stringify(har({})).split('"postData"')[0] ?? '', /cut off or changed/],
  ['a body alone', BODY, /body without headers/],
  ['binary', Buffer.from([0, 1, 2, 3, 10, 13, 255]), /binary data, not a request/],
  ['program code', "fetch('https://a.example')", /choose "Copy as cURL"/],
  ['nothing', '\n\n', /empty/],
]

test('a body shorter than its Content-Length was cut off', () => {
  expect(
    readPasted(Buffer.from(raw('{').replace('Host:', 'Content-Length: 99\nHost:'))),
  ).toMatchObject({ requests: [{ note: expect.stringContaining('cut off or changed') }] })
})

test('all requests of several lines of JSON are read', () => {
  const lines = [1, 2, 3].map((id) =>
    JSON.stringify({ url: URL_, headers: low, body: `{"id":${id}}` }),
  )
  expect(readPasted(Buffer.from(lines.join('\n')))).toHaveProperty('requests.length', 3)
})

const bytesOf = (text: string | Buffer | object) =>
  Buffer.isBuffer(text) ? text : Buffer.from(typeof text === 'string' ? text : JSON.stringify(text))

test.each(table)('%s', (_, text, outcome) => {
  const pasted = readPasted(bytesOf(text))
  if (outcome instanceof RegExp) {
    expect(pasted).toEqual({ refused: expect.stringMatching(outcome) })
    return
  }
  expect(pasted).toHaveProperty('requests')
  const [request] =
    'requests' in pasted ? pasted.requests.filter(({ headers }) => headers.length > 1) : []
  const valueOf = (name: string) =>
    request?.headers.find(([given]) => given.toLowerCase() === name)?.[1]
  expect({
    method: request?.method,
    signature: valueOf('x-service-signature'),
    timestamp: valueOf('x-service-timestamp'),
  }).toEqual({ method: 'POST', signature: SIGNATURE, timestamp: TIMESTAMP })
  expect(['/', PATH]).toContain(request?.path)
  const bodies = request?.bodies.map((body) => Buffer.from(body).toString()) ?? []
  if (outcome === 'exact') expect(bodies[0]).toBe(BODY)
  else expect(bodies.some((body) => body === BODY || body === JSON.stringify(parsed))).toBe(true)
})

/** Writers of texts that ask for one request, each as its tool writes it. */
const writers: Readonly<Record<string, (body: string) => string>> = {
  http: (body) => `POST / HTTP/1.1\r\nx-service-signature: a\r\n\r\n${body}`,
  posix: (body) => `curl https://a/ --data-raw ${single(body)}`,
  bash: (body) => `curl https://a/ --data-raw ${octal(body)}`,
  prompt: (body) => `curl "https://a/" --data-raw ${doubled(body)}`,
  chrome: (body) => `curl ${carets('https://a/')} --data-raw ${carets(body)}`,
  powershell: (body) => `curl.exe "https://a/" \`\n --data-raw ${power(body)}`,
  object: (body) => JSON.stringify({ url: 'https://a/', headers: { a: 'b' }, body }),
  lambda: (body) =>
    JSON.stringify({ headers: { a: 'b' }, body: base64(body), isBase64Encoded: true }),
  bin: (body) => JSON.stringify({ data: [{ headers: { a: ['b'] }, content: body }] }),
  fence: (body) => `see:\n\`\`\`\nPOST / HTTP/1.1\na: b\n\n${body}\n\`\`\`\n`,
}

property.prop([
  fc.constantFrom(...Object.keys(writers)),
  fc.json({ noUnicodeString: false }).filter((body) => /^[[{]/.test(body)),
])('a text that is read gives exactly the bytes it had', (writer, body) => {
  const pasted = readPasted(Buffer.from(writers[writer]?.(body) ?? ''))
  expect('requests' in pasted && Buffer.from(pasted.requests[0]?.bodies[0] ?? []).toString()).toBe(
    body,
  )
})

property.prop([fc.uint8Array({ minLength: 1 })])('raw HTTP gives any bytes', (body) => {
  const pasted = readPasted(Buffer.concat([Buffer.from('POST / HTTP/1.1\na: b\n\n'), body]))
  expect('requests' in pasted && pasted.requests[0]?.bodies[0]).toEqual(body)
})
