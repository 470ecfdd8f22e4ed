import { gzipSync } from 'node:zlib'
import { mkdirSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { storeInFolder } from '../support/in-folder.ts'
import { captureOf } from '../support/test-store.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()
const SECRET = 'whsec_shown_nowhere_0123456789'

const BODIES: readonly [body: string | Uint8Array, headers?: string][] = [
  ['{"amount":-12.50,"card":{"lastNumbers":"4001"},"brand":{"name":"=HYPERLINK(\\"http://a\\")"}}'],
  [gzipSync('{"amount":7}'), '[["content-encoding","gzip"]]'],
  ['not json'],
  [`{"amount":"${SECRET}","brand":{"name":"Two\\nlines, \\"quoted\\""}}`],
]

beforeAll(async () => {
  mkdirSync(cli.data, { recursive: true })
  const store = await storeInFolder(cli.data)
  for (const [body, headers = '[]'] of BODIES) await store.capture(captureOf(body, { headers }))
  await store.settled()
  await store.close()
  await cli.run`handlers add mine --url http://127.0.0.1:9/ --secret ${SECRET}`
})

test('deliveries lists values of the body, decoded and masked', async () => {
  const listed = await cli.json`deliveries --columns amount,card.lastNumbers,brand.name`
  expect(listed.map(({ columns }) => columns)).toEqual([
    { amount: '[masked]', 'card.lastNumbers': null, 'brand.name': 'Two\nlines, "quoted"' },
    { amount: null, 'card.lastNumbers': null, 'brand.name': null },
    { amount: '7', 'card.lastNumbers': null, 'brand.name': null },
    { amount: '-12.50', 'card.lastNumbers': '4001', 'brand.name': '=HYPERLINK("http://a")' },
  ])
  const { text } = await cli.run`deliveries --columns card.lastNumbers`
  expect(text.split('\n').at(-1)).toMatch(/ 4001 +[\da-f-]{36}$/)
  expect(await cli.json`deliveries`).not.toContainEqual(
    expect.objectContaining({ columns: expect.anything() }),
  )
})

test('export writes CSV whose cells are masked and no formulas', async () => {
  const { text, stdout } = await cli.run`export --format csv --columns amount,brand.name`
  const [header, ...lines] = text.split('\r\n')
  expect(header).toBe(
    'id,receivedAt,event,environment,verdict,freshness,attempt,schema,status,handlerStatus,method,path,bodySize,amount,brand.name',
  )
  expect(lines.map((line) => line.replace(/^.*?\/h\/test,\d+,/, ''))).toEqual([
    `-12.50,"'=HYPERLINK(""http://a"")"`,
    '7,',
    ',',
    '[masked],"Two\nlines, ""quoted"""',
  ])
  expect(stdout.subarray(-2).toString()).toBe('\r\n')
  const withMark = await cli.run`export latest --format csv --bom`
  expect(withMark.stdout.subarray(0, 5).toString('hex')).toBe('efbbbf6964')
})

test.each(['deliveries', 'export --format csv'])(
  '%s names a column that no delivery has, and the likely one',
  async (command) => {
    const { code, stderr } = await cli.run`${command.split(' ')} --columns amount,card.lastNumbr`
    expect([code, stderr]).toEqual([
      0,
      'No delivery has "card.lastNumbr". Did you mean "card.lastNumbers"?\n',
    ])
    const part = await cli.run`${command.split(' ')} --columns lastNumbers,items[0].sku`
    expect(part.stderr).toBe(
      'No delivery has "lastNumbers". Did you mean "card.lastNumbers"?\nNo delivery has "items[0].sku". Check the path.\n',
    )
  },
)

test.each([
  ['deliveries --columns a,b,c,d,e', 'Too many columns. Name fewer paths.'],
  ['deliveries --columns a,,b', 'Expected JSON paths separated by commas'],
  ['export --columns a', '--columns needs --format csv.'],
  ['export --bom --format har', '--bom needs --format csv.'],
])('%s is refused', async (line, message) => {
  const { code, stderr } = await cli.run`${line.split(' ')}`
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})
