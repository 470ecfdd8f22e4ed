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
const curl = () =>
  [`curl ${single(URL_)}`, ...ofCurl(single), `--data-raw ${single(BODY)}`].join(' ')
const har = () =>
  JSON.stringify({
    log: {
      version: '1.2',
      entries: [
        {
          startedDateTime: '2026-11-22T12:00:00.000Z',
          request: {
            method: 'POST',
            url: URL_,
            headers: [
              { name: NAMES.signature, value: SIGNATURE },
              { name: NAMES.timestamp, value: TIMESTAMP },
            ],
            postData: { mimeType: 'application/json', text: BODY },
          },
        },
      ],
    },
  })

type Verdict = 'valid' | 'invalid' | 'unsigned' | 'unknown-hook' | RegExp

const corpus: readonly [name: string, text: string, verdict: Verdict][] = [
  ['HTTP with CRLF', raw(), 'valid'],
  ['a body that was changed', raw(BODY.replace('10.00', '11.00')), 'invalid'],
  ['headers alone', headers(SIGNATURE, '\n'), 'unknown-hook'],
  ['a request without signature', 'POST /in HTTP/1.1\nHost: hooks.example.com\n\n{}', 'unsigned'],
  ['prose', 'Hello, the webhook fails since Monday.\n', /No request found/],
]

beforeAll(async () => {
  const hook = ['--event', 'card.linked', '--url', URL_, '--secret', SECRET]
  await cli.run`hooks import ${hook}`
})

test('a copied request is judged as the hooks do, or refused with the reason', async () => {
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
  for (const text of [raw(), har(), curl()]) {
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
