import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { tamperSchema } from '../../src/shared/model/send.ts'
import { signatureOf } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { headerOf, type RawRequest } from '../support/replay-fixture.ts'
import { samplePayloads } from '../support/sample-payloads.ts'
import { rawEndpoint, temporaryFolder } from '../support/temporary-folder.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()
const files = temporaryFolder()

const SECRET = 'whsec_of_refunds'
const REGISTERED = 'https://hooks.example/refunds?v=1'
const REFUND = JSON.stringify(samplePayloads['transaction.refund'])

beforeAll(async () => {
  const core = await coreInFolder({ dataFolder: cli.data })
  const add = (event: string, secret: string, environment = 'sandbox-test', url = REGISTERED) =>
    core.call('hooks.import', { event, url, secret, environment, live: true })
  await add('transaction.refund', SECRET)
  await add('card.linked', 'whsec_1', 'sandbox-test', 'https://hooks.example/1')
  await add('card.linked', 'whsec_2', 'sandbox-test', 'https://hooks.example/2')
  await add('program.status', 'whsec_live', 'sandbox-live', 'https://hooks.example/live')
  await core.stop()
})

const { run, json } = cli.given({ command: 'send' })

async function fileOf(name: string, bytes: string | Uint8Array): Promise<string> {
  const file = join(files, name)
  await writeFile(file, bytes)
  return file
}

/** Whether Node's own HMAC, in place of the product's signer, gives the request's signature. */
function isSigned(request: RawRequest, url = REGISTERED, secret = SECRET): boolean {
  const expected = signatureOf(
    secret,
    request.body,
    url,
    headerOf(request, 'x-service-timestamp') ?? '',
  )
  return headerOf(request, 'x-service-signature') === expected
}

describe('the body', () => {
  test.each([
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${REFUND}`)],
    ['no newline at the end', Buffer.from('{"amount": 10.00}')],
    ['CRLF and spaces at the end', Buffer.from('{\r\n "a" : 1e2 }\r\n \n')],
    ['5 MB', Buffer.alloc(5_000_000, '{"a":"é"}')],
    ['bytes that are neither JSON nor text', Buffer.from([0, 255, 254, 13, 10, 128])],
    ['nothing', Buffer.alloc(0)],
  ])('arrives as given, correctly signed: %s', async (_name, bytes) => {
    const { origin, requests } = await rawEndpoint()
    const file = await fileOf('body', bytes)
    const ran = await run`${file} --event transaction.refund --to ${origin}/in --json`
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    const [request] = requests
    expect(request?.body.equals(bytes)).toBe(true)
    expect(request).toMatchObject({ line: 'POST /in HTTP/1.1' })
    expect(request && isSigned(request)).toBe(true)
    const [line] = ran.json()
    expect(line).toMatchObject({ status: 200, outcome: 'passed', event: 'transaction.refund' })
    const stored = await cli.run`show ${String(line?.['deliveryId'])} --body`
    expect(stored.stdout.equals(bytes)).toBe(true)
  })

  test('from standard input, with its own headers, and stored as a valid delivery', async () => {
    const { origin, requests } = await rawEndpoint()
    const headers = ['--header', 'Content-Type: text/plain', '--header', 'x-trace: 1']
    const ran = await cli.given({ command: 'send', stdin: REFUND })
      .run`- --event transaction.refund ${headers} --to ${origin} --json`
    expect([ran.code, requests[0]?.body.toString()]).toEqual([0, REFUND])
    expect(requests[0]?.headers).toEqual(
      expect.arrayContaining(['Content-Type: text/plain', 'x-trace: 1']),
    )
    expect(requests[0]?.headers).not.toContain('content-type: application/json')
    const [line] = ran.json()
    const [delivery] = await cli.json`show ${String(line?.['deliveryId'])} --json`
    expect(delivery).toMatchObject({
      origin: 'composed',
      name: null,
      method: 'POST',
      path: '/refunds?v=1',
      event: 'transaction.refund',
      verdict: 'valid',
      freshness: 'fresh',
      attempt: 1,
      schema: 'ok',
      flowRun: null,
    })
  })
})

async function hookOf(event: string): Promise<string> {
  const hooks = await cli.json`hooks list`
  return String(hooks.find((hook) => hook['event'] === event)?.['id'])
}

describe('who signs', () => {
  const secretFile = () => fileOf('secret', 'whsec_given')

  test('a given secret, over the target or the registered URL, which is never stored', async () => {
    const { origin, requests } = await rawEndpoint()
    const file = await fileOf('body', REFUND)
    const given = ['--to', `${origin}/in`, '--secret-file', await secretFile()]
    expect((await run`${file} ${given}`).code).toBe(0)
    expect((await run`${file} ${given} --registered-url https://a.example/x`).code).toBe(0)
    const urls = [`${origin}/in`, 'https://a.example/x']
    expect(requests.map((one, index) => isSigned(one, urls[index], 'whsec_given'))).toEqual([
      true,
      true,
    ])
    const exported = await cli.run`export is:composed --format jsonl --include-secrets`
    expect(exported.text).not.toContain('whsec_given')
  })

  test('a saved handler, and a chosen hook', async () => {
    const { origin, requests } = await rawEndpoint()
    const file = await fileOf('body', '{"not": "an event"}')
    await cli.run`handlers add mine --url ${origin}/in --secret-file ${await secretFile()}`
    expect((await run`${file} --to @mine`).code).toBe(0)
    expect(
      (await run`${file} --to ${origin} --hook ${await hookOf('transaction.refund')}`).code,
    ).toBe(0)
    expect(isSigned(requests[0]!, `${origin}/in`, 'whsec_given')).toBe(true)
    expect(isSigned(requests[1]!)).toBe(true)
    await cli.run`handlers remove mine`
  })
})

test.each(tamperSchema.options)('--tamper %s breaks one thing, in this send only', async (kind) => {
  const { origin, requests } = await rawEndpoint(() => 401)
  const file = await fileOf('body', REFUND)
  const ran = await run`${file} --event transaction.refund --to ${origin} --tamper ${kind} --json`
  const [request] = requests
  const isTimeKind = kind === 'stale' || kind === 'future'
  expect(isSigned(request!)).toBe(isTimeKind)
  expect(request?.body.toString() === REFUND).toBe(kind !== 'body')
  const age = Date.now() - Number(headerOf(request, 'x-service-timestamp'))
  if (isTimeKind) expect(Math.sign(age)).toBe(kind === 'stale' ? 1 : -1)
  if (isTimeKind) expect(Math.abs(age)).toBeGreaterThan(300_000)
  if (kind === 'no-timestamp') expect(age).toBeNaN()
  if (kind === 'no-signature') expect(headerOf(request, 'x-service-signature')).toBe(undefined)
  // Rejecting it is right.
  expect(ran.code).toBe(0)
  const [stored] = await cli.json`show ${String(ran.json()[0]?.['deliveryId'])} --json`
  expect(stored).toMatchObject({ verdict: 'valid', freshness: 'fresh' })
})

test('a named request is listed, sent again, compared, and moved to another folder', async () => {
  const { origin, requests } = await rawEndpoint()
  const file = await fileOf('body', REFUND)
  const given = [file, '--event', 'transaction.refund', '--to', origin]
  const first = await run`${given} --name big-refund --json`
  const id = String(first.json()[0]?.['deliveryId'])
  expect(first.code).toBe(0)
  expect(await json`--list`).toMatchObject([
    { id, name: 'big-refund', origin: 'composed', pinned: true },
  ])
  expect((await run`--list`).text).toMatch(/^big-refund +transaction\.refund .+ 200 http/)

  const again = await cli.run`replay name:big-refund --to ${origin} --json`
  expect([again.code, again.json()[0]?.['outcome']]).toEqual([0, 'still-passing'])
  expect(requests.map((request) => [request.body.toString(), isSigned(request)])).toEqual([
    [REFUND, true],
    [REFUND, true],
  ])
  const other = await fileOf('other', REFUND.replace('"currency":"', '"currency":"X'))
  const second = await run`${other} ${given.slice(1)} --json`
  const compared =
    await cli.run`compare name:BIG-refund ${String(second.json()[0]?.['deliveryId'])}`
  expect(compared.text).toContain('currency')

  const taken = await run`${given} --name Big-Refund`
  expect([taken.code, taken.stderr]).toEqual([
    2,
    'Another request is named "Big-Refund". Choose another name, or move the name here (--replace).\n',
  ])
  expect(requests).toHaveLength(3)

  const export1 = await cli.run`export name:big-refund --format jsonl --include-secrets`
  const moved = await run`${other} ${given.slice(1)} --name big-refund --replace --json`
  const movedId = String(moved.json()[0]?.['deliveryId'])
  const [holder] = await cli.json`show name:big-refund --json`
  expect(holder).toMatchObject({ id: movedId, pinned: true })
  expect(await cli.json`show ${id} --json`).toMatchObject([{ name: null, pinned: false }])

  // In an empty folder it keeps its name; where that is taken, it gets a number.
  const exported = await fileOf('named.jsonl', `${export1.text}\n`)
  const [empty, used] = [temporaryFolder(), temporaryFolder()]
  await run`${file} --secret own --to ${origin} --name big-refund --data ${used}`
  for (const data of [empty, used]) await cli.run`import ${exported} --data ${data}`
  expect(await cli.json`deliveries is:composed --data ${empty}`).toMatchObject([
    { id, origin: 'composed', name: 'big-refund', pinned: true, verdict: 'valid' },
  ])
  expect(await cli.json`deliveries --data ${empty}`).toEqual([])
  expect(await json`--list --data ${used}`).toMatchObject([
    { id, name: 'big-refund-2' },
    { name: 'big-refund' },
  ])
})

test('composed requests are hidden from lists, latest, counts and statistics', async () => {
  const { origin, requests } = await rawEndpoint()
  const data = temporaryFolder()
  const core = await coreInFolder({ dataFolder: data })
  const url = `${core.receiver}/h/refunds`
  await core.call('hooks.import', { event: 'transaction.refund', url, secret: SECRET })
  await core.deliver({ url, secret: SECRET }, '{"received":1}')
  const count = async (command: string) =>
    (await cli.run`${command.split(' ')} --data ${data}`).text
  const before = await Promise.all(['deliveries --json', 'stats --json'].map(count))
  const { text: latest } = await cli.run`show latest --body --data ${data}`
  const file = await fileOf('body', REFUND)
  for (const name of ['one', 'two'])
    expect(
      (await run`${file} --to ${origin} --event transaction.refund --name ${name} --data ${data}`)
        .code,
    ).toBe(0)
  expect(requests).toHaveLength(2)
  const bins = {
    width: 86_400_000,
    bins: 2,
    start: Math.floor(Date.now() / 86_400_000 - 1) * 86_400_000,
  }
  const timeline = await core.call('timeline.read', bins)
  expect(timeline.bins.flatMap(({ verdicts }) => verdicts).reduce((sum, one) => sum + one)).toBe(1)
  expect(await Promise.all(['deliveries --json', 'stats --json'].map(count))).toEqual(before)
  expect((await cli.run`show latest --body --data ${data}`).text).toBe(latest)
  expect((await cli.run`show latest:transaction.refund --body --data ${data}`).text).toBe(latest)
  expect(await cli.json`deliveries is:any --data ${data}`).toHaveLength(3)
  expect(await cli.json`deliveries --view Composed --data ${data}`).toHaveLength(2)
})

test.each([
  ['missing.json', 3, 'File or folder not found: missing.json'],
  ['name:later', 2, 'Send a request again with "countersign replay name:later".'],
  ['.', 3, 'Expected a file, but this is a folder'],
  ['', 2, 'Enter a file with the body, - for standard input, or --list.'],
  ['FILE --list', 2, 'Use either a file or --list.'],
  ['FILE --hook nothing', 3, 'Hook nothing not found.'],
  ['FILE --hook a --secret b', 2, 'Use either --secret or --hook.'],
  ['FILE --secret b --secret-file c', 2, 'Use either --secret or --secret-file.'],
  ['FILE --secret b --secret c', 2, '--secret given twice. Use it once.'],
  ['- --secret -', 2, "The secret and the body can't both come from standard input."],
  ['FILE --event transaction.refnud', 2, 'transaction.refund'],
  ['FILE --event offer.enrolled', 3, 'No active hook receives'],
  ['FILE --event card.linked', 2, 'Several hooks receive card.linked'],
  ['FILE', 2, "The body doesn't show its event, so no hook can sign it."],
  ['FILE --secret b', 2, 'A secret has no target. Enter your endpoint, with --to URL.'],
  ['FILE --replace', 2, '--replace needs --name.'],
  ['FILE --event transaction.refund --name "big refund"', 2, 'Use letters, digits'],
  [
    'FILE --event transaction.refund --to https://remote.example/in',
    3,
    '--allow-host remote.example',
  ],
  ['FILE --event program.status --to http://127.0.0.1:1', 3, 'add --live'],
  ['LARGE --event transaction.refund', 2, 'A request can have a body of up to'],
])('"send %s" exits with %i and stores nothing: %s', async (line, code, message) => {
  const [file, large] = [await fileOf('odd', '{}'), await fileOf('large', Buffer.alloc(10_485_761))]
  const before = await cli.json`deliveries is:composed`
  const words =
    line
      .replace('FILE', file)
      .replace('LARGE', large)
      .match(/"[^"]*"|\S+/g) ?? []
  const ran = await run`${words.map((word) => word.replaceAll('"', ''))}`
  expect(ran.stderr).toContain(message)
  expect(ran.code).toBe(code)
  expect(await cli.json`deliveries is:composed`).toEqual(before)
})

test('an unreachable endpoint fails the send, which is stored and can be repeated', async () => {
  const { origin, close } = await rawEndpoint()
  await close()
  const file = await fileOf('body', REFUND)
  const ran = await run`${file} --event transaction.refund --to ${origin} --name later --json`
  expect([ran.code, ran.json()[0]?.['status']]).toEqual([1, null])
  expect((await run`--list`).text).toMatch(/^later .*no response/m)
  const unknown = await cli.run`replay name:nothing --to ${origin}`
  expect([unknown.code, unknown.stderr]).toEqual([
    3,
    'No request is named "nothing". List named requests with "countersign send --list".\n',
  ])
})
