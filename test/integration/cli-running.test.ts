import { readdir } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { sendDelivery } from '../support/deliver.ts'
import { exitOf, linesOf, cliOfFile, type Serving } from './cli-fixture.ts'

const cli = cliOfFile()
const { run, json } = cli

let serving: Serving

const secret = 'whsec-serve-secret-0123'
const hookUrl = () => `${serving.info.receiver}/h/demo`

beforeAll(async () => {
  serving = await cli.serve()
  const imported =
    await run`hooks import --event transaction.auth --url ${hookUrl()} --secret ${secret} --json`
  expect(imported.code).toBe(0)
})

async function newest(): Promise<Record<string, unknown>> {
  return (await json`deliveries --limit 1`)[0] ?? {}
}

describe('a signed delivery', () => {
  test('is shown with its signature inputs and exact bytes', async () => {
    const body = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 256))
    expect(await sendDelivery(serving.info.ca, { url: hookUrl(), body, secret })).toBe(200)
    // More than a pipe's buffer.
    const bytes = await cli.runProcess`show latest --body`
    expect(bytes).toMatchObject({ code: 0, stderr: '' })
    expect(bytes.stdout.equals(body)).toBe(true)
    const [shown] = await json`show latest:transaction.auth`
    expect(shown?.['id']).toBe((await newest())['id'])
    const signature = shown?.['signature'] as Record<string, unknown>
    expect(signature).toMatchObject({
      verdict: 'valid',
      freshness: 'fresh',
      url: hookUrl(),
      diagnosis: null,
    })
    expect(signature['expected']).toBe(signature['received'])
  })

  test('is shown with the status, headers and body that were returned', async () => {
    const hook = String((await json`hooks list`)[0]?.['id'])
    await run`hooks update ${hook} --answer 'status=500,header=X-Why: test' --answer ${'body={"a":1}'}`
    expect(await sendDelivery(serving.info.ca, { url: hookUrl(), body: '{}', secret })).toBe(500)
    expect((await run`hooks update ${hook} --answer plain`).code).toBe(0)
    expect((await run`show latest`).text).toMatch(
      /\nResponse\n500\nX-Why: test\n(?:.+\n)*\n\{"a":1\}$/,
    )
  })
})

describe('deliveries', () => {
  test('lists matches, newest first, up to the limit', async () => {
    for (const word of ['alpha', 'beta', 'alpha'])
      await sendDelivery(serving.info.ca, { url: `${serving.info.receiver}/${word}`, body: word })
    const [found, two] = await Promise.all([
      run`deliveries alpha --json`,
      run`deliveries --limit 2 --json`,
    ])
    expect(found.json().map(({ path }) => path)).toEqual(['/alpha', '/alpha'])
    expect(two.json().map(({ path }) => path)).toEqual(['/alpha', '/beta'])
  })

  test('--follow prints each delivery once, oldest first, also in a burst', async () => {
    const child = cli.start`deliveries /burst --follow --limit 2 --json`
    const output = linesOf(child)
    const post = (n: number) =>
      sendDelivery(serving.info.ca, { url: `${serving.info.receiver}/burst/${n}`, body: String(n) })
    for (let n = 0; n < 3; n++) await post(n)
    await output.until(1)
    for (let n = 3; n < 5; n++) await post(n)
    await Promise.all(Array.from({ length: 250 }, (_, n) => post(n + 5)))
    await output.until(253)
    child.kill()
    await exitOf(child)
    const shown = output.lines.map((line) => JSON.parse(line) as { path: string; seq: number })
    expect(new Set(shown.map(({ path }) => path)).size).toBe(shown.length)
    expect(shown.map(({ seq }) => seq)).toEqual(
      shown.map(({ seq }) => seq).toSorted((a, b) => a - b),
    )
    expect(shown.at(-1)?.path).toMatch(/^\/burst\/\d+$/)
  })
})

describe('wait', () => {
  const waiting = async (...args: string[]) => {
    const command = cli.begin`wait --json ${args}`
    await command.hasSaid
    return command
  }
  const post = (path: string) =>
    sendDelivery(serving.info.ca, { url: serving.info.receiver + path, body: '' })

  test('exits with 0 once enough new deliveries have arrived', async () => {
    await post('/wait/old')
    const command = await waiting('--query', '/wait', '--count', '2', '--timeout', '180')
    await post('/other')
    await post('/wait/1')
    await command.until(1)
    await post('/wait/2')
    expect(await command.ended).toMatchObject({ code: 0 })
    expect(command.lines.map((line) => (JSON.parse(line) as { path: string }).path)).toEqual([
      '/wait/1',
      '/wait/2',
    ])
  })

  test('prints no more deliveries than requested', async () => {
    const { ended, lines } = await waiting('--query', '/many')
    await Promise.all([post('/many'), post('/many'), post('/many')])
    expect(await ended).toMatchObject({ code: 0 })
    expect(lines.length).toBe(1)
  })

  test('exits with 3 when Countersign stops', async () => {
    const other = cli.newDataFolder()
    const instance = await cli.serve(other)
    const command = cli.given({ data: other }).begin`wait`
    await command.hasSaid
    await instance.stop()
    expect(await command.ended).toMatchObject({ code: 3 })
  })
})

test('trigger makes the sandbox send a valid delivery', async () => {
  const ran = await run`trigger transaction.auth --json`
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const [result] = ran.json()
  expect(result).toMatchObject({ event: 'transaction.auth', environment: 'sandbox-test' })
  expect(result?.['objects']).toMatchObject({ transaction: expect.any(String) })
  const received = await newest()
  expect(result?.['deliveries']).toMatchObject([
    { state: 'acknowledged', attempts: [{ attempt: 1, status: 200, deliveryId: received.id }] },
  ])
  expect(received).toMatchObject({
    verdict: 'valid',
    freshness: 'fresh',
    event: 'transaction.auth',
    schema: 'ok',
  })
  expect((await run`trigger transaction.auth --unset card.scheme`).text).toMatch(/acknowledged/)
  expect(await newest()).toMatchObject({ verdict: 'valid', schema: 'issues' })
  const waiting = await json`sandbox clearings`
  expect(waiting).toMatchObject([{ mode: 'test' }, { mode: 'test' }])
  // Times are random: the later purchase may be cleared first.
  const ofThese: unknown = expect.toBeOneOf(waiting.map(({ transactionId }) => transactionId))
  expect(result?.['objects']).toMatchObject({ transaction: ofThese })
})

test('show with a payload prints the verdict before the schema, and three schema errors at most', async () => {
  await sendDelivery(serving.info.ca, { url: hookUrl(), body: '{}', secret })
  const id = String((await newest())['id'])
  const [whole = {}] = await json`show ${id}`
  const { failures } = whole['schemaReport'] as { failures: unknown[] }
  expect(failures.length).toBeGreaterThan(10)
  const { text } = await run`show ${id}`
  expect(text.match(/^failure /gm)).toHaveLength(3)
  expect(text.search(/^verdict /m)).toBeGreaterThan(0)
  expect(text.search(/^verdict /m)).toBeLessThan(text.search(/^failure /m))
  expect(text).toContain(
    `${failures.length - 3} more failures. List them with "countersign show ${id} --json".`,
  )
})

test('after Countersign has stopped, commands still read the stored data', async () => {
  const before = await newest()
  expect(await serving.stop()).toBe(0)
  expect(await newest()).toEqual(before)
  expect((await json`show latest:transaction.auth`)[0]?.['signature']).toMatchObject({
    verdict: 'valid',
  })
  expect((await run`hooks env`).text).toBe(`WEBHOOK_SECRET_TRANSACTION_AUTH=${secret}`)
  expect((await run`doctor --json`).code).toBe(0)
  expect(await readdir(cli.data)).not.toContain('instance.json')
})
