import { spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeAll, expect, test } from 'vitest'
import { signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { until } from '../support/until.ts'
import { exitOf, cliOfFile } from './cli-fixture.ts'
import { ownId } from '../support/id-of-name.ts'

const cli = cliOfFile()

const SECRET = 'whsec_of_the_command_line'

let place: string

beforeAll(async () => {
  place = join(cli.data, '..')
  const app = await coreInFolder({ dataFolder: cli.data })
  const url = `${app.receiver}/h/one`
  await app.call('hooks.import', { event: 'transaction.auth', url, secret: SECRET })
  for (const amount of [1, 2, 3]) {
    const body = `{"amount":${amount}}`
    await app.send(url, {
      body,
      headers: [...signedHeaders(SECRET, body, url), ['X-Own', 'value-of-mine']],
    })
  }
  await app.stop()
})

test('writes matching deliveries to standard output, oldest first, with header values masked by default', async () => {
  const ran = await cli.run`export amount:>1`
  expect(ran.code).toBe(0)
  expect(ran.json().map(({ body }) => Buffer.from(String(body), 'base64').toString())).toEqual([
    '{"amount":2}',
    '{"amount":3}',
  ])
  expect(ran.text).toContain('["X-Own","[masked]"]')
  expect(ran.text).not.toContain('value-of-mine')
  expect((await cli.run`export --include-secrets`).text).toContain('value-of-mine')
})

test('writes a complete file, readable only by the user, and never overwrites one by default', async () => {
  const file = join(place, 'out.har')
  // As a killed export leaves it; no process has this ID.
  writeFileSync(join(place, 'countersign-temp-4194305-1'), '')
  const ran = await cli.run`export --format har -o ${file}`
  expect(ran).toMatchObject({ code: 0, text: '' })
  expect(ran.stderr).toContain('3 deliveries')
  expect(
    (JSON.parse(readFileSync(file, 'utf8')) as { log: { entries: unknown[] } }).log.entries,
  ).toHaveLength(3)
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  const again = await cli.run`export -o ${file}`
  expect(again.code).toBe(3)
  expect(again.stderr).toContain('--force')
  expect(readFileSync(file, 'utf8')).toContain('"log"')
  expect((await cli.run`export -o ${file} --force`).code).toBe(0)
  const nowhere = await cli.run`export -o ${join(cli.data, 'none', 'file.jsonl')}`
  expect(nowhere.stderr).toContain(`File or folder not found: ${join(cli.data, 'none')} (ENOENT).`)
  expect(readFileSync(file, 'utf8')).not.toContain('"log"')
  expect(readdirSync(place).filter((name) => name.includes('temp'))).toEqual([])
})

test('writes tests in a language, and says what they leave out', async () => {
  const one = await cli.run`export latest --format test`
  expect(one).toMatchObject({ code: 0, stderr: '' })
  expect(one.text).toMatch(/^import test from 'node:test'$/m)
  const file = join(place, 'test_webhooks.py')
  const python = await cli.run`export --format test --language python -o ${file}`
  expect(python).toMatchObject({ code: 0, stderr: `Wrote 3 deliveries to ${file}.\n` })
  expect(readFileSync(file, 'utf8').match(/def test_transaction_auth_\d+\(/g)).toHaveLength(3)
  const lines = (await cli.run`export`).text.split('\n')
  const cut = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), method: 'PUT' })
  const other = cli.newDataFolder()
  await cli.given({ data: other, stdin: [cut, ...lines.slice(1)].join('\n') }).run`import -`
  expect(await cli.given({ data: other }).run`export id:* --format test`).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^Left out 1 delivery: .* add is:invalid or is:possible to the query\.\n$/,
    ),
  })
})

test('names the languages and formats that exist', async () => {
  expect(await cli.run`export --format test --language ruby`).toMatchObject({
    code: 2,
    stderr: 'Invalid --language "ruby". Use one of: node, python, vitest, jest.\n',
  })
  expect(await cli.run`export --format xml`).toMatchObject({
    code: 2,
    stderr: 'Invalid --format "xml". Use one of: jsonl, har, csv, curl, test, handover.\n',
  })
  expect(await cli.run`export --language node`).toMatchObject({
    code: 2,
    stderr: '--language needs --format test.\n',
  })
})

test('imports an export into another folder, once', async () => {
  const other = cli.newDataFolder()
  const { stdout } = await cli.run`export`
  expect(await cli.given({ data: other, stdin: stdout }).run`import -`).toMatchObject({
    code: 0,
    text: 'Imported 3 deliveries; 0 already known, 0 rejected.',
  })
  const file = join(place, 'in.jsonl')
  writeFileSync(file, `${stdout.toString()}nonsense\n`)
  const again = await cli.given({ data: other }).run`import ${file} --json`
  expect(again.code).toBe(3)
  expect(again.json()).toEqual([
    {
      imported: 0,
      known: 3,
      refused: 1,
      problems: [{ line: 4, reason: "The line isn't JSON." }],
      further: [],
    },
  ])
  expect(again.stderr).toContain("line 4: The line isn't JSON.")
  expect((await cli.given({ data: other }).run`deliveries is:valid --json`).json()).toHaveLength(3)
})

test('wait counts an imported delivery only if its signature is verified here', async () => {
  const other = cli.newDataFolder()
  await cli.serve(other)
  const { stdout } = await cli.run`export --include-secrets`
  const again = (name: string) =>
    stdout.toString().replaceAll(/"id":"([^"]+)/g, (_, id: string) => `"id":"${ownId(name + id)}`)
  const wait = async (...args: string[]) => {
    const { lines, hasSaid, ended } = cli.given({ data: other })
      .begin`wait --query is:valid --json ${args}`
    await hasSaid
    return { lines, ended: ended.then(({ code }) => code) }
  }
  const claims = await wait('--timeout', '5')
  expect((await cli.given({ data: other, stdin: again('claimed') }).run`import -`).code).toBe(0)
  expect([await claims.ended, claims.lines]).toEqual([1, []])
  const [hook] = await cli.json`hooks list`
  const known = await cli.given({ data: other })
    .run`hooks import --event transaction.auth --url ${String(hook?.['url'])} --secret ${SECRET}`
  expect(known.code).toBe(0)
  const waiting = await wait('--count', '3', '--timeout', '180')
  await cli.given({ data: other, stdin: again('verified') }).run`import -`
  expect([await waiting.ended, waiting.lines.length]).toEqual([0, 3])
})

test.runIf(process.platform === 'linux')(
  'rejects a 100 MB line by its number, using at most 64 MiB',

  async () => {
    const file = join(place, 'long.jsonl')
    const written = openSync(file, 'w')
    writeSync(written, 'nonsense\n{"countersign":1,"id":"')
    for (let mega = 0; mega < 100; mega++) writeSync(written, 'x'.repeat(1_000_000))
    writeSync(written, '"}\nnonsense\n')
    closeSync(written)
    const peakOf = async (...args: string[]) => {
      const child = cli.given({ data: cli.newDataFolder() }).start`import ${args}`
      const said: Buffer[] = []
      child.stdout?.on('data', (chunk: Buffer) => said.push(chunk))
      let peak = 0
      const sampling = setInterval(() => {
        try {
          const [, kilobytes = '0'] =
            /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
          peak = Math.max(peak, Number(kilobytes) / 1_024)
        } catch {
          // It just finished.
        }
      }, 20)
      expect(await exitOf(child)).toBe(args[0] === '-' ? 0 : 3)
      clearInterval(sampling)
      return { peak, text: Buffer.concat(said).toString() }
    }
    const base = await peakOf('-')
    const { peak, text } = await peakOf(file, '--json')
    rmSync(file)
    const { refused, problems } = JSON.parse(text) as {
      refused: number
      problems: { line: number; reason: string }[]
    }
    expect(refused).toBe(3)
    expect(problems.map(({ line }) => line)).toEqual([1, 2, 3])
    expect(problems[1]?.reason).toContain('The line is too long for the body limit of')
    expect(peak).toBeLessThan(base.peak + 64)
  },
)

test('a query may begin with a minus, even one that looks like an option', async () => {
  const amounts = async (...query: string[]) =>
    (await cli.run`export ${query}`)
      .json()
      .map(({ body }) => Buffer.from(String(body), 'base64').toString())
  expect(await amounts('-amount:>1')).toEqual(['{"amount":1}'])
  expect(await amounts('-offer:none')).toHaveLength(3)
  expect(await amounts('-Visa')).toHaveLength(3)
  expect(readdirSync(place).filter((name) => name.startsWith('ffer'))).toEqual([])
  const file = join(place, 'negated.jsonl')
  expect(await cli.run`export -(amount:1) -o ${file}`).toMatchObject({
    code: 0,
    text: '',
  })
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2)
})

test.skipIf(process.platform === 'win32')(
  'Ctrl+C stops an import that waits for input',
  async () => {
    const other = cli.newDataFolder()
    const command = cli.given({ data: other, stdin: new PassThrough() }).begin`import -`
    // Signals are handled before the folder is created.
    await expect.poll(() => existsSync(join(other, 'countersign.db'))).toBe(true)
    expect(await command.stop()).toBe(3)
    expect(command.said()).toContain('Import stopped: 0 deliveries imported')
  },
)

test('says how much was imported if Countersign stops', async () => {
  const app = await coreInFolder({ dataFolder: cli.newDataFolder() })
  const [line = ''] = (await cli.run`export`).text.split('\n')
  const record = JSON.parse(line) as Record<string, unknown>
  const stdin = new PassThrough()
  const { ended } = cli.given({ data: app.dataFolder, stdin }).begin`import -`
  for (let index = 0; index <= 1_000; index++)
    stdin.write(`${JSON.stringify({ ...record, id: ownId(`taken ${index}`) })}\n`)
  const taken = () => app.call('deliveries.get', { id: ownId('taken 999') }).catch(() => null)
  await until(app.client, 'deliveries.changed', taken, (delivery) => delivery !== null)
  await app.stop()
  stdin.end()
  const { code, stderr } = await ended
  expect(code).toBe(3)
  expect(stderr).toMatch(
    /Countersign stopped during the import: at least [\d,]+ deliveries imported/,
  )
})

test('exits with 1 and writes no file if nothing matches', async () => {
  const file = join(place, 'nothing.jsonl')
  for (const more of [[], ['-o', file], ['--format', 'har']]) {
    const ran = await cli.run`export amount:>1000 ${more}`
    expect(ran).toMatchObject({
      code: 1,
      text: '',
      stderr: 'No deliveries match. Nothing exported.\n',
    })
  }
  expect(readdirSync(place).filter((name) => name.startsWith('nothing'))).toEqual([])
})

test('exports a delivery by ID, part of an ID or latest', async () => {
  const ids = (await cli.json`deliveries`).map(({ id }) => String(id))
  const [latest = '', before = ''] = ids
  for (const [ref, id] of [
    [before.slice(-12).toUpperCase(), before],
    ['latest:transaction.auth~1', before],
    ['latest', latest],
  ] as const)
    expect((await cli.run`export ${ref}`).json().map((record) => record['id'])).toEqual([id])
  // IDs of the same millisecond start alike.
  const several = await cli.run`export ${latest.slice(0, 8)}`
  expect([several.code, several.stderr]).toEqual([
    3,
    expect.stringContaining('matches several deliveries: '),
  ])
})

test('groups lines rejected for the same reason, and explains what can be imported', async () => {
  const script = await cli.given({ data: cli.newDataFolder(), stdin: 'one\ntwo\n{}\n' })
    .run`import -`
  expect(script).toMatchObject({
    code: 3,
    text: '',
    stderr: expect.stringMatching(/^No request found\./),
  })
  const lines = 'no\nno\n{}\n{"countersign":1}\n'
  const broken = await cli.given({ data: cli.newDataFolder(), stdin: lines }).run`import -`
  expect(broken).toMatchObject({
    code: 3,
    text: 'Imported 0 deliveries; 0 already known, 4 rejected.',
  })
  expect(broken.stderr).toContain(
    "Standard input, lines 1 to 2: The line isn't JSON.\nStandard input, line 3: The line isn't a delivery of a Countersign export.\n",
  )
  const { stdout } = await cli.run`export`
  const mixed = await cli.given({ data: cli.newDataFolder(), stdin: `${stdout.toString()}no\n` })
    .run`import -`
  expect(mixed).toMatchObject({ code: 3, stderr: "Standard input, line 4: The line isn't JSON.\n" })
})

test.runIf(process.platform === 'linux')(
  "reports output that can't be written as a failure",
  async () => {
    const full = openSync('/dev/full', 'w')
    const ran = async (
      command: readonly string[],
      stdout: number | 'pipe',
      stderr: number | 'pipe',
    ) => {
      const child = spawn(process.execPath, [cli.entry(), ...command, '--data', cli.data], {
        stdio: ['ignore', stdout, stderr],
      })
      const said: Buffer[] = []
      child.stderr?.on('data', (chunk: Buffer) => said.push(chunk))
      return { code: await exitOf(child), said: Buffer.concat(said).toString() }
    }
    const said = 'The disk is full: standard output (ENOSPC). Free some space, then try again.\n'
    for (const command of [['export'], ['deliveries']])
      expect(await ran(command, full, 'pipe'), command[0]).toEqual({ code: 3, said })
    // Without a message, the exit code is the same.
    expect((await ran(['doctor'], 'pipe', full)).code).toBe(0)
    closeSync(full)
  },
)
