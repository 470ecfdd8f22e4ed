import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { sendDelivery } from '../support/deliver.ts'
import { cliOfFile, type Serving } from './cli-fixture.ts'

const cli = cliOfFile()
const { run, json } = cli

let serving: Serving

beforeAll(async () => {
  serving = await cli.serve()
})

async function send(body: Uint8Array, encoding: string): Promise<void> {
  const url = `${serving.info.receiver}/packed`
  expect(
    await sendDelivery(serving.info.ca, { url, body, headers: { 'content-encoding': encoding } }),
  ).toBe(200)
}

test('writes all of the decoded content and nothing else', async () => {
  const text = JSON.stringify({
    amount: 10,
    numbers: Array.from({ length: 300_000 }, (_, index) => (index * 7_919) % 100_003),
  })
  await send(gzipSync(text), 'gzip')
  const shown = await run`show latest --body --decoded`
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout.toString() === text).toBe(true)
})

test('reports on standard error why decoding stopped', async () => {
  await send(readFileSync(new URL('../fixtures/payloads/bomb.br', import.meta.url)), 'br')
  const shown = await run`show latest --body --decoded`
  expect(shown.code).toBe(0)
  expect(shown.stdout.length).toBe(1_048_576)
  expect(shown.stderr).toContain('Decoding stopped after 1,048,576 bytes')
})

test("show and compare use the decoded content and report bytes that aren't text", async () => {
  const packed = (amount: string) => gzipSync(`{"amount":${amount},"city":"Łódź"}`)
  await send(packed('10.00'), 'gzip')
  const shown = await run`show latest`
  expect(shown.text).toMatch(
    /\(decoded from gzip, received as \d+ B\)\n\{"amount":10.00,"city":"Łódź"\}/,
  )
  const [first] = await json`deliveries --limit 1`
  await send(packed('12.50'), 'gzip')
  const compared = await run`compare ${String(first?.['id'])} latest`
  expect(compared.code).toBe(1)
  expect(compared.text).toContain('- amount: 10.00\n+ amount: 12.50\n')
  // The start of a large binary body is not mistaken for text.
  await send(Buffer.alloc(70_000, 0xff), 'identity')
  expect((await run`show latest`).text).toContain('(not UTF-8 text: write the bytes with --body)')
  const unlike = await run`compare ${String(first?.['id'])} latest`
  expect(unlike.code).toBe(1)
  expect(unlike.text).toContain('70,000 bytes (not UTF-8 text)')
  expect((await run`compare latest latest`).text).toContain('Body: No differences')
})
