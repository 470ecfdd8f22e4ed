/** `show --body --decoded`: a compressed body as its sender meant it, beside the exact bytes that came. */
import { readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareCli, sendDelivery, type Cli, type Serving } from './cli-fixture.ts'

let cli: Cli
let serving: Serving
let dataFolder: string
const run = (...args: string[]) => cli.run([...args, '--data', dataFolder])

beforeAll(async () => {
  cli = await prepareCli()
  dataFolder = cli.newDataFolder()
  serving = await cli.serve(dataFolder)
}, 120_000)

afterAll(() => cli.cleanUp())

async function send(body: Uint8Array, encoding: string): Promise<void> {
  const url = `${serving.info.receiver}/packed`
  expect(await sendDelivery(serving.info.ca, { url, body, headers: { 'content-encoding': encoding } })).toBe(200)
}

test('writes the content, all of it, and nothing else', async () => {
  const json = JSON.stringify({ amount: 10, numbers: Array.from({ length: 300_000 }, (_, index) => (index * 7_919) % 100_003) })
  await send(gzipSync(json), 'gzip')
  const shown = await run('show', 'latest', '--body', '--decoded')
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout.toString() === json).toBe(true)
})

test('says on standard error what stopped it', async () => {
  await send(readFileSync(new URL('../fixtures/payloads/bomb.br', import.meta.url)), 'br')
  const shown = await run('show', 'latest', '--body', '--decoded')
  expect(shown.code).toBe(0)
  expect(shown.stdout.length).toBe(1_048_576)
  expect(shown.stderr).toContain('Decoding stopped after 1,048,576 bytes')
})

test('needs --body, and leaves that alone the bytes that came', async () => {
  await send(brotliCompressSync('{}'), 'br')
  expect((await run('show', 'latest', '--decoded')).code).toBe(2)
  expect((await run('show', 'latest', '--body', '--decoded')).stdout.toString()).toBe('{}')
  expect((await run('show', 'latest', '--body')).stdout.toString()).not.toBe('{}')
})
