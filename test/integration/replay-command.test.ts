import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../src/shared/rpc/client.ts'
import { startEndpoint } from '../support/https-endpoint.ts'
import { coreInFolder } from '../support/in-folder.ts'
import type { TestCore } from '../support/test-core.ts'
import { makeTestTls } from '../support/tls.ts'
import { exitOf, linesOf, cliOfFile } from './cli-fixture.ts'
import { rawEndpoint } from '../support/temporary-folder.ts'

const cli = cliOfFile()

const SECRET = 'whsec_of_the_command'
const COUNT = 120

beforeAll(async () => {
  const core = await coreInFolder({ dataFolder: cli.data })
  const url = `${core.receiver}/h/one`
  await core.call('hooks.import', { event: 'card.linked', url, secret: SECRET })
  const deliver = async (count: number) => {
    const body = JSON.stringify({ count })
    await core.deliver({ url, secret: SECRET }, body)
  }
  for (let count = 0; count < COUNT; count += 10)
    await Promise.all(Array.from({ length: 10 }, (_, index) => deliver(count + index)))
  await core.stop()
})

const { run, json } = cli.given({ command: 'replay' })
const countOf = ({ body }: { readonly body: Buffer }) =>
  (JSON.parse(body.toString()) as { count: number }).count

test('prints JSON Lines, in order, and exits with 0 if all were acknowledged', async () => {
  const { origin, requests } = await rawEndpoint()
  const ran = await run`--query count:<5 --to ${origin}/in --json`
  expect([ran.code, requests.map(countOf)]).toEqual([0, [0, 1, 2, 3, 4]])
  for (const line of ran.json()) {
    expect(line).toMatchObject({
      status: 200,
      error: null,
      outcome: 'passed',
      event: 'card.linked',
      target: `${origin}/in`,
    })
  }
  expect(ran.json()).toHaveLength(5)
  expect(ran.stderr).toContain('5 sends: 5 acknowledged.')
})

test('a replay that runs in another process is followed, not started again', async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<number>()
  const { origin, requests } = await rawEndpoint((_, number) => (number === 3 ? held : 200))
  const child = cli.start`replay --query count:<40 --to ${origin} --json`
  await expect.poll(() => requests.length).toBe(3)
  const [replay] = await json`--list`
  expect(replay).toMatchObject({ state: 'running', total: 40 })
  const following = run`--resume ${String(replay?.['id'])} --json`
  // On a slow computer only its end may be seen; half a second later at the latest.
  setTimeout(letGo, 500, 200)
  const followed = await following
  expect([followed.code, followed.json().length, await exitOf(child)]).toEqual([0, 40, 0])
  expect(requests).toHaveLength(40)
})

test('Ctrl+C finishes sends in progress, sends nothing more, and exits with 3', async () => {
  const { origin, requests, close } = await rawEndpoint((_, number) => (number < 3 ? 200 : null))
  const child = cli.start`replay --query '' --to ${origin} --json`
  const said: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  const { lines, until } = linesOf(child)
  await until(2)
  await expect.poll(() => requests.length).toBe(3)
  child.kill('SIGINT')
  // Nothing shows that the signal was received; a request that ends earlier is followed by the
  // next.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await close()
  expect(await exitOf(child)).toBe(3)
  expect(requests).toHaveLength(3)
  expect(lines).toHaveLength(COUNT)
  // An earlier endpoint may have had the same port: then the third is a regression, too.
  expect(said.join('')).toMatch(
    new RegExp(
      `${COUNT} sends: 2 acknowledged, 1 not acknowledged,( 1 regressed,)? ${COUNT - 3} cancelled\\.`,
    ),
  )
})

/** Calls the contract as a second process on the same data folder does. */
async function beside<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const other = await coreInFolder({ dataFolder: cli.data, options: { serve: null } })
  try {
    return await work(other.client)
  } finally {
    await other.stop()
  }
}

test('a cancel from another process stops a replay', async () => {
  const { origin, requests } = await rawEndpoint(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return 200
  })
  const child = cli.start`replay --query '' --repeat 20 --to ${origin} --json`
  linesOf(child)
  await expect.poll(() => requests.length).toBeGreaterThan(20)
  const { replay } = await beside(async (client) => {
    const [running] = (await client.call('replay.list', {})).replays
    return client.call('replay.cancel', { replayId: running?.id ?? '' })
  })
  expect(await exitOf(child)).toBe(3)
  // All of them would take a minute; the process notices the cancel within seconds.
  expect(requests.length).toBeLessThan(10 * COUNT)
  expect(replay).toMatchObject({
    state: 'cancelled',
    total: 20 * COUNT,
    waiting: 0,
    underWay: 0,
    passed: requests.length,
  })
})

test('killed and resumed: no delivery is lost, and only sends in progress are repeated and marked', async () => {
  const CONCURRENCY = 8
  const SENT = 60
  const { origin, requests, close } = await rawEndpoint((_, number) => (number > SENT ? null : 200))
  const child = cli.start`replay --query '' --to ${origin} --concurrency ${CONCURRENCY} --json`
  await expect.poll(() => requests.length).toBe(SENT + CONCURRENCY)
  // Sending has stopped; results are stored a little later.
  await expect.poll(async () => (await json`--list`)[0]?.['passed']).toBe(SENT)
  child.kill('SIGKILL')
  await exitOf(child)
  await close()

  const first = requests.map(countOf)
  const [replay] = await json`--list`
  expect(replay).toMatchObject({ state: 'interrupted', total: COUNT, passed: SENT })
  // At most four times as many are prepared in advance: they weren't sent, and will be sent once.
  const marked = Number(replay?.['underWay'])
  expect(marked).toBeGreaterThanOrEqual(CONCURRENCY)
  expect(marked).toBeLessThanOrEqual(5 * CONCURRENCY)
  // A replay keeps its target: the endpoint restarts on its own port.
  const back = await rawEndpoint(() => 200, Number(new URL(origin).port))
  const resumed = await run`--resume ${String(replay?.['id'])} --json`
  expect([resumed.code, resumed.stderr]).toEqual([
    0,
    expect.stringContaining(`${marked} uncertain`),
  ])
  const second = back.requests.map(countOf)
  expect([...new Set([...first, ...second])].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: COUNT }, (_, count) => count),
  )
  const twice = second.filter((count) => first.includes(count))
  expect(twice.toSorted((a, b) => a - b)).toEqual(first.slice(SENT).toSorted((a, b) => a - b))
  expect(new Set(second).size).toBe(second.length)

  const lines = resumed.json()
  const uncertain = lines.filter(({ outcome }) => outcome === 'uncertain')
  expect([lines.length, uncertain.length]).toEqual([COUNT + marked, marked])
  for (const { deliveryId } of uncertain)
    expect(lines.filter((line) => line['deliveryId'] === deliveryId)).toHaveLength(2)
  const repeated = await run`--resume ${String(replay?.['id'])} --json`
  expect([repeated.code, repeated.json()]).toEqual([0, lines])
  expect(back.requests).toHaveLength(second.length)
})

describe('with Countersign running', () => {
  let core: TestCore
  beforeAll(async () => {
    core = await coreInFolder({ dataFolder: cli.data })
  })

  test('a replay of many prints its failing share and response times; stats groups them by event and handler', async () => {
    const { origin } = await rawEndpoint((_, number) => (number === 2 ? 500 : 200))
    const { stderr } = await run`--query count:<4 --to ${origin}/in --json`
    const [, id = ''] =
      /^Failing 25\.0%\. Response times: p50 [\d.]+ ms, p95 [\d.]+ ms, p99 [\d.]+ ms\. By event: countersign stats --replay (\S+) --by event$/m.exec(
        stderr,
      ) ?? []
    const stats = (...args: string[]) => cli.run`stats --replay ${id} ${args}`
    const [byHandler] = (await stats('--by', 'handler', '--json')).json()
    expect(byHandler).toMatchObject({
      requests: 4,
      responses: { acknowledged: 3, failing: 1 },
      shares: { failing: 0.25 },
      ms: { p50: expect.any(Number) },
      groups: [{ name: `${origin}/in`, requests: 4 }],
    })
    const [headings, row] = (await stats('--by', 'event')).text.split('\n')
    expect(headings?.split(/ +/)).toEqual(['Event', 'Requests', 'Failing', 'p50', 'p95', 'p99'])
    expect(row).toMatch(/^card\.linked +4 +25\.0%( +[\d.]+ ms){3}$/)
    expect(await stats('is:valid')).toMatchObject({ code: 2 })
  })

  test('exits with 1 if one was not acknowledged; for tampered ones, if one was not rejected', async () => {
    const { origin, close } = await rawEndpoint(() => 401)
    expect(await run`latest --to ${origin} --json`).toMatchObject({ code: 1 })
    expect(await run`latest --to ${origin} --tamper secret`).toMatchObject({
      code: 0,
      text: expect.stringMatching(
        /^inconclusive .*401.*your endpoint fails the valid delivery too, so this proves nothing$/,
      ),
    })
    await close()
    const refused = await run`latest --to ${origin} --tamper secret --json`
    expect([refused.code, refused.json()]).toMatchObject([
      1,
      [{ status: null, error: expect.stringContaining('Connection refused') }],
    ])
  })

  test('compare shows how two replays differ: request, status, headers, body and time', async () => {
    const head = (status: string, body: string, extra = '') =>
      `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${extra}content-length: ${body.length}\r\n\r\n${body}`
    let answer = head('200 OK', '{"ok":true}')
    const { origin } = await rawEndpoint(() => answer)
    const file = join(cli.folder, 'compared.json')
    await writeFile(file, '{"amount":1e2,"name":"a"}')
    const replayLatest = async (...args: string[]) =>
      String(
        (await run`latest --to ${origin} --body-file ${file} --json ${args}`).json()[0]?.['sendId'],
      )
    const first = await replayLatest()
    const again = await replayLatest()
    answer = head('422 No', '{"ok":false}', 'x-why: amount\r\n')
    const last = await replayLatest('--set', 'amount=-5.00')
    const compare = (...args: string[]) => cli.run`compare ${args}`
    expect(await compare(first, again)).toMatchObject({ code: 0 })

    // A replay with one send has its id too; without a second, the previous replay is compared.
    const [replay = ''] = last.split('.')
    const found = await compare(replay.slice(-8), '--json')
    expect(found.code).toBe(1)
    const changed = (path: string, left: string, right: string) => ({
      body: { differences: [{ kind: 'changed', path, left, right }] },
    })
    expect(found.json()[0]).toMatchObject({
      a: { id: again, status: 200, ms: expect.any(Number) },
      b: { id: last, status: 422 },
      same: false,
      response: changed('ok', 'true', 'false'),
      request: changed('amount', '1e2', '-5.00'),
    })
    const [several = ''] = (await replayLatest('--repeat', '2')).split('.')
    expect(await compare(several)).toMatchObject({
      code: 3,
      stderr: `Replay ${several} has several sends. Add the number of one, for example ${several}.1.\n`,
    })
    expect((await compare(`${several}.1`, `${several}.2`)).code).toBe(0)
    const { text } = await compare(first, last)
    expect(text).toMatch(/^ {2}Returned 200 in .* \| Returned 422 in /m)
    expect(text).toContain('Request body: 1 changed')
    expect(text).toContain('+ x-why: amount')
    const mixed = await compare('latest', last)
    expect([mixed.code, mixed.stderr]).toEqual([
      2,
      expect.stringContaining('Compare two deliveries or two replays'),
    ])
  })

  test("reads the target's CA certificate from a file", async () => {
    const tls = await makeTestTls()
    const secure = await startEndpoint(tls.leaf)
    const file = join(cli.folder, 'target-ca.pem')
    // From another CA. Without it, any certificate would do on this computer.
    await writeFile(file, (await makeTestTls()).caPem)
    expect(await run`latest --to ${secure.origin} --target-ca ${file}`).toMatchObject({
      code: 1,
    })
    await secure.close()
  })

  describe('the sends of a delivery', () => {
    const answer = `{"said":"${SECRET}","to":"acme-tenant-1"}`
    const idOf = async (query: string) => String((await cli.json`deliveries ${query}`)[0]?.['id'])

    test('is listed, newest first', async () => {
      await core.deliver({ url: `${core.receiver}/h/one`, secret: SECRET }, '{"count":777}')
      const id = await idOf('count:777')
      const none = await run`--sends ${id}`
      expect(none).toMatchObject({ code: 0, text: '' })
      expect(none.stderr).toContain(`No replays of ${id} yet.`)
      const { origin } = await rawEndpoint((_, number) => (number === 1 ? 500 : 200))
      const [first] = await json`${id} --to ${origin}`
      const [second] = await json`${id} --to ${origin}`
      const listed = await run`--sends ${id} --json`
      expect([listed.code, listed.json()]).toMatchObject([
        0,
        [
          {
            ...second,
            outcome: 'fixed',
            target: `${origin}/`,
            state: 'settled',
            tamper: null,
            edited: [],
          },
          { ...first, outcome: 'failed', phases: { wait: expect.any(Number) } },
        ],
      ])
      expect((await run`--sends ${id}`).text.split('\n')).toEqual([
        expect.stringMatching(/ fixed +200 +[\d.]+ ms .*127\.0\.0\.1/),
        expect.stringMatching(/ failed +500 /),
      ])
      expect((await run`--sends latest:card.linked`).code).toBe(0)
    })

    test('is shown in full, request and response, with credentials masked, also where the response repeats them', async () => {
      const id = await idOf('count:78')
      const head = 'HTTP/1.1 422 No\r\ncontent-type: application/json\r\nx-was: ' + SECRET
      const { origin } = await rawEndpoint(
        () => `${head}\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`,
      )
      const [sent] = (
        await run`${id} --to ${origin}/in --header 'X-Tenant-Key: acme-tenant-1' --json`
      ).json()
      const sendId = String(sent?.['sendId'])

      const [shown] = await json`--show ${sendId}`
      expect(shown).toMatchObject({
        ...sent,
        target: `${origin}/in`,
        edited: ['headers'],
        request: { method: 'POST', body: '{"count":78}', truncated: false },
        answer: { body: '{"said":"[masked]","to":"[masked]"}', truncated: false },
      })
      const headersOf = (name: string) =>
        (shown?.[name] as { headers: [string, string][] } | undefined)?.headers
      expect(headersOf('request')).toContainEqual(['X-Tenant-Key', '[masked]'])
      expect(headersOf('request')).toContainEqual([
        'x-service-signature',
        expect.stringMatching(/=$/),
      ])
      expect(headersOf('answer')).toContainEqual(['x-was', '[masked]'])

      const { code, text } = await run`--show ${sendId}`
      expect(code).toBe(0)
      for (const line of [
        `POST ${origin}/in`,
        'X-Tenant-Key: [masked]',
        '{"count":78}',
        '422',
        '{"said":"[masked]","to":"[masked]"}',
      ])
        expect(text.split('\n')).toContain(line)
      expect(text).toMatch(
        /answer +422 after [\d.]+ ms \(connect [\d.]+ ms, wait [\d.]+ ms, read [\d.]+ ms\)/,
      )
      const clear = (await run`--show ${sendId} --include-secrets`).text.split('\n')
      for (const line of ['X-Tenant-Key: acme-tenant-1', answer]) expect(clear).toContain(line)
    })

    test('reports a missing response', async () => {
      const id = await idOf('count:79')
      const { origin, close } = await rawEndpoint()
      await close()
      const [sent] = await json`${id} --to ${origin}`
      const shown = await run`--show ${String(sent?.['sendId'])} --json`
      expect([shown.code, shown.json()]).toMatchObject([
        0,
        [{ status: null, answer: null, request: { body: '{"count":79}' } }],
      ])
      expect((await run`--show ${String(sent?.['sendId'])}`).text).toMatch(
        /why +Connection refused[^]*\(no response\)$/,
      )
    })
  })

  test('says that Countersign itself responded', async () => {
    const sent = await run`latest --to ${core.receiver}/h/one --json`
    expect(sent).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Recorded here: Countersign itself responded'),
    })
    const [line] = sent.json()
    expect(line).toMatchObject({
      status: 200,
      outcome: 'recorded',
      target: `${core.receiver}/h/one`,
    })
    const again = await run`latest --to ${core.receiver}/h/one`
    expect(again.text).toMatch(
      /^recorded here .*\/h\/one +Countersign responded, not your handler$/,
    )
    const [replay] = await json`--list`
    expect(replay).toMatchObject({ passed: 0, failed: 0, recorded: 1 })
    // A handler that responds is compared with handlers only.
    const { origin } = await rawEndpoint()
    const [passed] = await json`latest --to ${origin}`
    expect(passed).toMatchObject({ outcome: 'passed', target: `${origin}/` })
  })
})
