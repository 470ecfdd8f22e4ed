import { gzipSync } from 'node:zlib'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { signatureOf } from '../support/deliver.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

const SECRET = 'whsec-of-the-corpus-0123'
const URL_ = 'https://hooks.example.com/in'
const TIMESTAMP = '1795411006517'
const BODY = '{"id":"1","name":"Caf\u00e9 it\'s","amount":10.00}'
const SIGNATURE = signatureOf(SECRET, BODY, URL_, TIMESTAMP)
const NAMES = { signature: 'x-service-signature', timestamp: 'x-service-timestamp' }

const headers = (signature = SIGNATURE, end = '\r\n') =>
  [
    'Host: hooks.example.com',
    'Content-Type: application/json',
    `${NAMES.signature}: ${signature}`,
    `${NAMES.timestamp}: ${TIMESTAMP}`,
  ].join(end)
const raw = (body = BODY, end = '\r\n') =>
  `POST /in HTTP/1.1${end}${headers(SIGNATURE, end)}${end}${end}${body}`
const ofCurl = (quote: (text: string) => string) =>
  [`${NAMES.signature}: ${SIGNATURE}`, `${NAMES.timestamp}: ${TIMESTAMP}`].map(
    (header) => `-H ${quote(header)}`,
  )
const single = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const ansi = (text: string) =>
  `$'${text.replaceAll("'", String.raw`\'`).replaceAll('\u00e9', String.raw`\u00e9`)}'`
const windows = (text: string) =>
  `^"${text.replaceAll('"', String.raw`\"`).replaceAll(/[{}"\\,]/g, '^$&')}^"`
const curl = (quote: (text: string) => string, data: string, between = ' \\\n  ') =>
  [`curl ${quote(URL_)}`, ...ofCurl(quote), `${data} ${quote(BODY)}`].join(between)
const har = (more: object = {}, text: object = { text: BODY }, others: object[] = []) =>
  JSON.stringify({
    log: {
      version: '1.2',
      entries: [
        ...others,
        {
          startedDateTime: '2026-11-22T12:00:00.000Z',
          request: {
            method: 'POST',
            url: URL_,
            headers: Object.entries({
              ':path': '/in',
              [NAMES.signature]: SIGNATURE,
              [NAMES.timestamp]: TIMESTAMP,
            }).map(([name, value]) => ({ name, value })),
            postData: { mimeType: 'application/json', ...text },
            ...more,
          },
        },
      ],
    },
  })
const wrappedBody = BODY.replace(',"amount"', ',\n"amount"')
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const packed = gzipSync(BODY)

type Verdict = 'valid' | 'invalid' | 'unsigned' | 'unknown-hook' | RegExp

const corpus: readonly [name: string, text: string | Buffer, verdict: Verdict][] = [
  ['HTTP with CRLF', raw(), 'valid'],
  ['HTTP with LF, and a line end after the body', `${raw(BODY, '\n')}\n`, 'valid'],
  ['HTTP with an absolute target', raw().replace('POST /in', `POST ${URL_}`), 'valid'],
  ['HTTP as HTTP/2 is shown', raw().replace('HTTP/1.1', 'HTTP/2'), 'valid'],
  [
    'HTTP with chunks',
    raw(chunk(BODY) + chunk('')).replace('Host:', 'Transfer-Encoding: chunked\r\nHost:'),
    'valid',
  ],
  ['a body that was changed', raw(BODY.replace('10.00', '11.00')), 'invalid'],
  ['headers and body', `${headers(SIGNATURE, '\n')}\n\n${BODY}`, 'valid'],
  ['headers alone', headers(SIGNATURE, '\n'), 'unknown-hook'],
  ['a request without signature', 'POST /in HTTP/1.1\nHost: hooks.example.com\n\n{}', 'unsigned'],
  [
    'a mail with wrapped lines',
    `> ${raw(wrappedBody, '\n')
      .replace(SIGNATURE, `${SIGNATURE.slice(0, 30)}\n${SIGNATURE.slice(30)}`)
      .replaceAll('\n', '\n> ')}\n`,
    'valid',
  ],
  ['a Markdown fence', `\`\`\`http\n${raw(BODY, '\n')}\n\`\`\`\n`, 'valid'],
  [
    'cut off in the body',
    raw(BODY.slice(0, 20)).replace('Host:', 'Content-Length: 99\r\nHost:'),
    'invalid',
  ],
  ['curl of Chrome', curl(ansi, '--data-raw'), 'valid'],
  ['curl of Chrome on Windows', curl(windows, '--data-raw', ' ^\r\n  '), 'valid'],
  ['curl of Firefox', `${curl(single, '--data-raw', ' ')} --compressed`, 'valid'],
  ['curl of Safari', curl(single, '--data-binary', " \\\n-X 'POST' \\\n"), 'valid'],
  [
    'curl behind a prompt',
    `$ curl -sSXPOST ${URL_} -d ${single(BODY)} ${ofCurl(single).join(' ')}; echo`,
    'valid',
  ],
  ['curl with a file', `curl ${URL_} -d @body.json`, /reads its body from the file body\.json/],
  ['curl with a substitution', `curl ${URL_} -H "x: $(cat secret)" -d '{}'`, /which isn't run/],
  ['curl cut off', `curl ${URL_} -d '{"id"`, /cut off: a quotation mark/],
  [
    'HAR of a browser, with others',
    har({}, { text: BODY }, [{ request: { method: 'GET', url: 'https://a.example/' } }]),
    'valid',
  ],
  [
    'HAR of a proxy, in Base64',
    har({}, { text: Buffer.from(BODY).toString('base64'), encoding: 'base64' }),
    'valid',
  ],
  [
    'HAR without the body',
    har({ bodySize: 40 }, {}),
    /no body for this request, which had 40 bytes/,
  ],
  ['HAR cut off', har().slice(0, -10), /cut off or changed: it isn't valid JSON/],
  [
    'JSON with headers and body',
    JSON.stringify({
      url: URL_,
      headers: { [NAMES.signature]: SIGNATURE, [NAMES.timestamp]: TIMESTAMP },
      body: BODY,
    }),
    'valid',
  ],
  ['a body alone', BODY, /body without headers/],
  ['UTF-16, as PowerShell writes it', Buffer.from(`\ufeff${raw()}`, 'utf16le'), 'valid'],
  [
    'a compressed body in a file',
    Buffer.concat([
      Buffer.from(raw('').replace('Host:', 'Content-Encoding: gzip\r\nHost:')),
      packed,
    ]),
    'invalid',
  ],
  ['binary', Buffer.from([0, 1, 2, 3, 10, 13, 255]), /binary data, not a request/],
  ['program code', "fetch('https://a.example')", /choose "Copy as cURL"/],
  ['prose', 'Hello, the webhook fails since Monday.\n', /No request found/],
  ['nothing', '\n\n', /empty/],
]

beforeAll(async () => {
  const hook = ['--event', 'card.linked', '--url', URL_, '--secret', SECRET]
  await cli.run`hooks import ${hook}`
})

test('the corpus is read as the hooks judge it, or refused with the reason', async () => {
  const judged = corpus.map(async ([name, text, verdict]) => {
    const file = join(cli.folder, `${name.replaceAll(/\W+/g, '-')}.txt`)
    await writeFile(file, text)
    const ran = await cli.run`verify --request ${file} --json`
    const got = ran.json()[0]?.['verdict']
    const outcome = verdict instanceof RegExp ? verdict.test(ran.stderr) : got === verdict
    return outcome &&
      ran.code === (verdict === 'valid' ? 0 : verdict instanceof RegExp ? ran.code : 1)
      ? []
      : [{ name, got, code: ran.code, stderr: ran.stderr }]
  })
  expect((await Promise.all(judged)).flat()).toEqual([])
})

describe('verify --request', () => {
  const verify = (text: string, ...args: string[]) =>
    cli.given({ stdin: text }).run`verify --request - --data ${cli.data} ${args}`

  test('needs no data folder with a secret, and says when the age is unknown', async () => {
    const [found] = (
      await verify(raw(), '--secret', SECRET, '--json', '--data', cli.newDataFolder())
    ).json()
    expect(found).toMatchObject({ verdict: 'valid', freshness: 'unknown', url: URL_ })
    const timed = await verify(raw(), '--at', '2026-11-22T20:36:00Z', '--json')
    expect(timed.json()[0]).toMatchObject({ verdict: 'valid' })
    expect(timed.json()[0]?.['freshness']).not.toBe('unknown')
  })

  test('says that copying may have changed the body only if nothing else explains the signature', async () => {
    const caveat = /Copying may have changed the body/
    expect((await verify(raw(BODY.replace('10.00', '11.00')))).stderr).toMatch(caveat)
    expect((await verify(raw())).stderr).not.toMatch(caveat)
    const once = signatureOf(SECRET, BODY, `${URL_}/`, TIMESTAMP)
    const explained = await verify(raw().replace(SIGNATURE, once))
    expect(explained.text).toContain('url:')
    expect(explained.stderr).not.toMatch(caveat)
  })
})

test('verify --request names hook and event, and its fixes name no delivery', async () => {
  const run = (text: string, ...args: string[]) =>
    cli.given({ stdin: text }).run`verify --request - --data ${cli.data} ${args}`
  const [hook] = await cli.json`hooks list`
  const found = (await run(raw(), '--json')).json()[0]
  expect(found).toMatchObject({ hookId: hook?.['id'], event: 'card.linked' })
  expect((await run(raw())).text).toMatch(/^event +card\.linked\nhook +\S.*$/m)
  for (const text of [raw().replace('/in', '/other').replace('10.00', '1'), raw('{}')]) {
    const { stdout } = await run(text)
    expect(stdout.toString()).toMatch(/^fix .*verify --request FILE/m)
    expect(stdout.toString()).not.toContain('--delivery')
  }
})

test.each([true, false])(
  'a kept request has its cause at once (while serving: %s)',
  async (serves) => {
    const folder = cli.newDataFolder()
    if (serves) await cli.serve(folder)
    const run = (text: string, ...args: string[]) =>
      cli.given({ data: folder, stdin: text }).run`${args}`
    await run('', 'hooks', 'import', '--event', 'card.linked', '--url', URL_, '--secret', SECRET)
    const slashed = signatureOf(SECRET, BODY, `${URL_}/`, TIMESTAMP)
    expect((await run(raw().replace(SIGNATURE, slashed), 'import', '-')).code).toBe(0)
    expect((await run('', 'deliveries', '--json')).json()).toMatchObject([
      { origin: 'reported', verdict: 'invalid', cause: 'url:trailing-slash' },
    ])
  },
)

test('import keeps copied requests as reported: found, shown and never pending', async () => {
  const folder = cli.newDataFolder()
  const run = (...args: string[]) => cli.given({ data: folder }).run`${args}`
  await run('hooks', 'import', '--event', 'card.linked', '--url', URL_, '--secret', SECRET)
  for (const text of [raw(), har(), curl(single, '--data-raw')]) {
    const file = join(folder, 'copied.txt')
    await writeFile(file, text)
    expect((await run('import', file, '--json')).json()[0]).toMatchObject({
      imported: 1,
      refused: 0,
    })
  }
  const found = (await run('deliveries', 'is:reported', '--json')).json()
  expect(found).toHaveLength(3)
  expect(found.every((row) => row['origin'] === 'reported' && row['verdict'] === 'valid')).toBe(
    true,
  )
  expect(found.map((row) => row['freshness'])).toContain('unknown')
  const id = String(found[0]?.['id'])
  expect((await run('show', id, '--body')).stdout.toString()).toBe(BODY)
  expect((await run('show', id)).stdout.toString()).toMatch(
    /^received +\S+ \S+ \(\S+\), as reported$/m,
  )
})
