import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { REGISTERED_URL, SECRET, startHandler, type Handler } from '../support/check-handlers.ts'
import { commandsBelow, loadProgram } from '../support/cli-program.ts'
import { signatureOf, signedHeaders } from '../support/deliver.ts'
import { startRawEndpoint, type RawEndpoint } from '../support/replay-fixture.ts'
import { startTestCore } from '../support/test-core.ts'
import { cliOfFile, type Serving } from './cli-fixture.ts'

const cli = cliOfFile()

const program = await loadProgram()
const examples = commandsBelow(program).flatMap(({ name, command }) =>
  command.examples.map((example) => ({ ...example, name, needsRunning: command.needsRunning })),
)
type Example = (typeof examples)[number]

/** Commands that call the sandbox service. */
const callsSandbox = [
  'hooks add',
  'hooks update',
  'hooks remove',
  'hooks repoint',
  'hooks sync',
  'environments check',
]
const needsService = (example: Example) =>
  example.needsRunning || callsSandbox.includes(example.name)

/** Examples that need another example first. */
const before: Readonly<Record<string, string>> = {
  'views remove': 'views save',
  'environments update': 'environments add',
  'environments use': 'environments add',
  'environments remove': 'environments add',
  'handlers update': 'handlers add',
  'handlers use': 'handlers add',
  'handlers remove': 'handlers add',
}
/** The saved handler's name in the examples. */
const NAMED = '@local'

interface Typed {
  readonly words: readonly string[]
  readonly from: string | null
  readonly to: string | null
}

/** Splits a line like a shell: quotes, variables, `<` and `>`. */
function readLine(line: string, variables: Readonly<Record<string, string>>): Typed {
  const filled = (text: string) =>
    text.replaceAll(
      /\$([A-Z]+)/g,
      (_, name: string) => variables[name] ?? expect.fail(`$${name} is not set`),
    )
  const words = [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"|([^'"]+)/g,
      (_, single?: string, double?: string, bare?: string) =>
        single === undefined ? filled(double ?? bare ?? '') : single,
    ),
  )
  const after = (sign: string) =>
    words.includes(sign) ? (words[words.indexOf(sign) + 1] ?? null) : null
  const end = words.findIndex((word) => word === '<' || word === '>')
  return { words: end === -1 ? words : words.slice(0, end), from: after('<'), to: after('>') }
}

let handler: Handler
let endpoint: RawEndpoint
let failing: RawEndpoint
/** Rejects everything, as a handler does with forged deliveries. */
let rejecting: RawEndpoint
/** A data folder with deliveries and flow runs; each example gets a copy. */
let captured: string
let serving: Serving
const variables: Record<string, string> = { DIGEST: 'bm9uZQ==' }

/** Replaces URLs with those of the test, and removes the rate limit of `check`. */
function adapted(words: readonly string[]): string[] {
  const [name] = words
  const { origin: target } =
    name === 'shrink' ? failing : words.includes('--tamper') ? rejecting : endpoint
  const isHandler = (word: string) =>
    name === 'check' || name === 'handlers' || (name === 'flow' && word.startsWith('http'))
  const here = words.map((word) =>
    word.startsWith('http://127.0.0.1:3000')
      ? isHandler(word)
        ? handler.url
        : word.replace('http://127.0.0.1:3000', target)
      : word,
  )
  const calls = here.includes(handler.url)
  return [
    ...here,
    ...(calls ? ['--registered-url', REGISTERED_URL] : []),
    ...((calls || here.includes(NAMED)) && name === 'check' ? ['--rate', '10000'] : []),
  ]
}

async function run({ line }: Pick<Example, 'line'>, dataFolder: string) {
  const { words, from, to } = readLine(line, variables)
  const stdin = from === null ? '' : await readFile(from)
  const ran = await cli.given({ stdin, data: dataFolder }).run`${adapted(words)}`
  if (to !== null) await writeFile(to, ran.stdout)
  return ran
}

async function prepareCaptured(): Promise<void> {
  captured = cli.newDataFolder()
  for (const name of ['BEFORE', 'AFTER']) {
    const [ended] = (await cli.given({ data: captured }).run`flow run card-linked --json`).json()
    variables[name] = String(ended?.['id'])
  }
  variables['RUN'] = variables['AFTER'] ?? ''
  const core = await startTestCore({ dataFolder: captured })
  const send = async (event: string, amount: string, secret: string | null) => {
    const url = `${core.receiver}/h/${event}`
    const body = `{"id":"0195","amount":${amount},"cleared":false}`
    const headers = secret === null ? [] : signedHeaders(secret, body, url)
    await core.send(url, { body, headers })
  }
  for (const event of ['transaction.refund', 'transaction.auth'] as const)
    await core.hook(`/h/${event}`, SECRET, { event })
  await send('transaction.refund', '-5', SECRET)
  await send('transaction.auth', '20', null)
  await send('transaction.auth', '30', 'wrong')
  await send('transaction.auth', '10', SECRET)
  await send('transaction.auth', '12.5', SECRET)
  const target = new URL(`${core.receiver}/h/transaction.auth`)
  const body = '{"id":"0196","amount":15,"cleared":false}'
  const headers = [['Host', target.host], ...signedHeaders(SECRET, body, target.href)]
  const lines = [`POST ${target.pathname} HTTP/1.1`, ...headers.map((header) => header.join(': '))]
  await writeFile('request.txt', `${lines.join('\r\n')}\r\n\r\n${body}`)
  const { hooks } = await core.call('hooks.list', {})
  variables['HOOK'] = hooks[0]?.id ?? ''
  await core.stop()
}

async function prepareServed(): Promise<void> {
  serving = await cli.serve(cli.newDataFolder())
  const url = `${serving.info.receiver}/h/demo`
  await cli.given({ data: serving.info.data })
    .run`hooks import --event transaction.auth --url ${url} --secret ${SECRET}`
}

beforeAll(async () => {
  ;[handler, endpoint, failing, rejecting] = await Promise.all([
    startHandler(),
    startRawEndpoint(),
    startRawEndpoint(({ body }) => (body.includes('amount') ? 500 : 200)),
    startRawEndpoint(() => 401),
  ])
  const body = '{"id":"0195","amount":10}'
  const url = 'https://example.com/hooks'
  const timestamp = String(Date.now())
  Object.assign(variables, {
    TIMESTAMP: timestamp,
    SIGNATURE: signatureOf(SECRET, body, url, timestamp),
  })
  const files = {
    'body.json': body,
    'expected.json': '{"id":"0195","amount":11}',
    'secret.txt': SECRET,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(name, text)
  for (const name of ['new-secret.txt', 'key.txt', 'new-key.txt', 'client-secret.txt', 'token.txt'])
    await writeFile(name, `sk_${name}\n`)
  await cp(
    join(import.meta.dirname, '../../src/core/flows/built-in/card-linked.json'),
    'my-flow.json',
  )
  await Promise.all([prepareCaptured(), prepareServed()])
  const exported = async (...args: string[]) =>
    (await cli.given({ data: captured }).run`export ${args}`).stdout
  await writeFile('captures.jsonl', await exported())
  await writeFile('recorded.har', await exported('is:valid', '--format', 'har'))
})

afterAll(async () => {
  await Promise.all([
    ...[handler, endpoint, failing, rejecting].map((one) => one.close()),
    serving.stop(),
  ])
})

test('every command has an example', () => {
  const without = commandsBelow(program).filter(
    ({ command }) => command.commands.length === 0 && command.examples.length === 0,
  )
  expect(without.map(({ name }) => name)).toEqual([])
  const wrong = examples.filter(({ name, line }) => !`${line} `.startsWith(`${name} `))
  expect(wrong).toEqual([])
})

const withLine = (list: readonly Example[]) =>
  list.map((example) => [example.line, example] as const)
const toRun = examples.filter(({ notRun }) => notRun === null)

test.each(withLine(toRun.filter((one) => !needsService(one))))(
  'countersign %s',
  async (_line, example) => {
    const folder = cli.newDataFolder()
    await cp(captured, folder, { recursive: true })
    const needed = example.line.includes(NAMED) ? 'handlers add' : before[example.name]
    const first = examples.find(({ name }) => name === needed)
    if (first !== undefined) expect(await run(first, folder)).toMatchObject({ code: 0 })
    const ran = await run(example, folder)
    expect(ran, ran.stderr).toMatchObject({ code: example.exits })
  },
)

let hooks = 0

async function firstOf(kind: string): Promise<string> {
  const listed = await cli.given({ data: serving.info.data })
    .run`sandbox list ${kind} --environment sandbox-test --json`
  return String(listed.json()[0]?.['id'])
}

async function newHook(): Promise<string> {
  const url = `${serving.info.receiver}/h/hook-${++hooks}`
  const programId = await firstOf('program')
  const { text } = await cli.given({ data: serving.info.data })
    .run`hooks import --event card.linked --url ${url} --secret ${SECRET} --program ${programId}`
  return text
}

test.each(withLine(toRun.filter(needsService)))(
  'with Countersign running: countersign %s',
  async (line, example) => {
    if (line.includes('$HOOK')) variables['HOOK'] = await newHook()
    if (line.includes('$PROGRAM')) variables['PROGRAM'] = await firstOf('program')
    if (line.includes('$BRAND')) variables['BRAND'] = await firstOf('brand')
    const trigger = () => cli.given({ data: serving.info.data }).run`trigger transaction.auth`
    const running = run(example, serving.info.data)
    if (example.name === 'wait') {
      let isDone = false
      void running.finally(() => (isDone = true))
      while (!isDone) await trigger()
    }
    expect(await running).toMatchObject({ code: example.exits })
  },
)

test.each(withLine(examples.filter(({ notRun }) => notRun !== null)))(
  'is accepted, but not run: countersign %s',
  async (line) => {
    const parsed = await loadProgram()
    parsed.hook('preAction', () => {
      throw new Error('parsed')
    })
    await expect(
      parsed.parseAsync([...readLine(line, variables).words], { from: 'user' }),
    ).rejects.toThrow('parsed')
  },
)
