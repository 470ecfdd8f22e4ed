import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { secretKey, signDelivery } from '../../src/core/signature/sign.ts'
import { createDeliverer, signedHeaders } from '../support/deliver.ts'
import { cliOfFile, type ServingProcess } from './cli-fixture.ts'

const cli = cliOfFile()

const SECRET = 'whsec_of_the_hook_0123456789'
const OTHER = 'whsec_not_stored_anywhere_98765'
const BODY = '{"amount":10.00,"name":"Café"}'
const URL_SIGNED = 'https://example.com/hooks'
const TIMESTAMP = '1795233622527'

let serving: ServingProcess
let url: string
const run = (args: readonly string[], options = {}) => cli.given(options).run`${args}`

beforeAll(async () => {
  serving = await cli.serveProcess()
  url = `${serving.info.receiver}/h/verify`
  const imported =
    await cli.run`hooks import --event transaction.auth --url ${url} --secret ${SECRET}`
  expect(imported.code).toBe(0)
})

async function deliver(secret: string, signedUrl: string): Promise<string> {
  const deliverer = createDeliverer(serving.info.ca, 1)
  await deliverer.send(url, { body: BODY, headers: signedHeaders(secret, BODY, signedUrl) })
  deliverer.close()
  return String((await run(['deliveries', '--limit', '1', '--json'])).json()[0]?.['id'])
}

describe('a stored delivery', () => {
  test('is valid with the right --secret, which is not saved', async () => {
    await deliver(OTHER, url)
    const unexplained = await run(['verify', '--delivery', 'latest'])
    expect(unexplained.code).toBe(1)
    expect(unexplained.text).toContain('No known mistake explains this signature.')
    const ran = await run(['verify', '--delivery', 'latest', '--secret', OTHER, '--json'])
    expect(ran.code).toBe(0)
    expect(ran.json()[0]).toMatchObject({ verdict: 'valid' })
    expect(ran.stdout.toString() + ran.stderr + serving.stderr()).not.toContain(OTHER)
    expect(() => execFileSync('grep', ['-rqa', OTHER, cli.data])).toThrow()
    expect((await run(['verify', '--delivery', 'latest'])).code).toBe(1)
  })

  test('ignores COUNTERSIGN_SECRET, which may belong to another hook', async () => {
    await deliver(SECRET, url)
    const ran = await run(['verify', '--delivery', 'latest'], {
      env: { COUNTERSIGN_SECRET: OTHER },
    })
    expect(ran.code).toBe(0)
  })
})

describe('a digest that your code computed', () => {
  const right = signDelivery({
    body: Buffer.from(BODY),
    url: URL_SIGNED,
    timestamp: TIMESTAMP,
    key: secretKey(SECRET),
  })
  const parts = ['verify', '--secret', SECRET, '--url', URL_SIGNED, '--timestamp', TIMESTAMP]
  const explain = (computed: string, more: readonly string[] = []) =>
    cli.given({ stdin: BODY }).run`${parts} --computed ${computed} ${more} --json`

  test('is correct: the comparison is wrong', async () => {
    const ran = await explain(` ${right.signature}\n`, ['--signature', right.signature])
    expect(ran.code).toBe(0)
    expect(ran.json()[0]?.['computed']).toMatchObject({
      outcome: 'right',
      isReceived: true,
      cause: null,
      firstDifference: null,
    })
    expect(JSON.stringify(ran.json()[0]?.['computed'])).toContain('comparison')
  })

  test('is explained or not', async () => {
    const ran = await explain(right.inner)
    expect(ran.code).toBe(1)
    const explained = { digest: right.inner, outcome: 'explained', cause: 'passes:once' }
    expect(ran.json()[0]?.['computed']).toMatchObject({ ...explained, isReceived: false })
    const forPeople = await cli.given({ stdin: BODY }).run`${parts} --computed ${right.inner}`
    expect(forPeople.text).toMatch(/cause\s+passes:once/)
    const unexplained = await explain('hello')
    expect(unexplained.code).toBe(1)
    expect(unexplained.json()[0]?.['computed']).toMatchObject({
      outcome: 'unexplained',
      cause: null,
    })
  })
})

test('a program that verifies is written for a stored delivery and verifies it', async () => {
  await deliver(SECRET, url)
  const ran = await run(['verify', '--delivery', 'latest', '--snippet', 'node'])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const file = join(cli.data, 'verify.mjs')
  await writeFile(file, ran.stdout)
  const verify = (secret: string) =>
    execFileSync(process.execPath, [file], {
      env: { ...process.env, WEBHOOK_SECRET: secret },
      encoding: 'utf8',
    })
  expect(verify(SECRET)).toBe('valid\n')
  expect(() => verify(OTHER)).toThrow('Command failed')
  expect(ran.text).not.toContain(SECRET)
})
