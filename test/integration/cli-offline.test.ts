/** Commands that need no data folder, and what all commands share: usage, secrets, exit codes, the process. */
import { execFileSync } from 'node:child_process'
import { access, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { prepareCli, type Cli } from './cli-fixture.ts'

let cli: Cli
let folder: string

beforeAll(async () => {
  cli = await prepareCli()
  folder = dirname(cli.newDataFolder())
})

const secret = 'whsec-offline-secret'
const url = 'https://example.com/hooks?x=1'
const timestamp = '1795233622527'
const body = Buffer.from([0x7b, 0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0a, 0x7d])

function openssl(data: Uint8Array): string {
  return execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-binary'], {
    input: data,
  }).toString('base64')
}

/** Computed with openssl, independently of the command. */
function expected(at = timestamp) {
  const inner = openssl(Buffer.concat([body, Buffer.from(url + at)]))
  return { inner, signature: openssl(Buffer.from(inner)) }
}

const verifyArgs = (signature: string, at = timestamp) => [
  ...['verify', '--secret', secret, '--url', url, '--timestamp', at, '--signature', signature],
]

describe('sign', () => {
  test('signs the exact bytes of standard input', async () => {
    const args = ['sign', '--secret', secret, '--url', url, '--timestamp', timestamp, '--json']
    for (const run of [cli.run, cli.runProcess]) {
      const ran = await run(args, { stdin: body })
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      expect(ran.json()).toEqual([
        { signature: expected().signature, timestamp, inner: expected().inner },
      ])
    }
  })

  test('signs a file, with the current time by default', async () => {
    const file = join(folder, 'body.bin')
    await writeFile(file, body)
    const before = Date.now()
    const [signed] = (
      await cli.run(['sign', '--secret', secret, '--url', url, '--body', file, '--json'])
    ).json()
    expect(Number(signed?.['timestamp'])).toBeGreaterThanOrEqual(before)
    const verified = await cli.run([
      'verify',
      '--secret',
      secret,
      '--url',
      url,
      '--body',
      file,
      '--timestamp',
      String(signed?.['timestamp']),
      '--signature',
      String(signed?.['signature']),
      '--max-age',
      '60',
    ])
    expect(verified.code).toBe(0)
  })
})

describe('verify', () => {
  test('a correct signature is valid; staleness counts only with --max-age', async () => {
    const ran = await cli.run([...verifyArgs(expected().signature), '--json'], { stdin: body })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.json()).toEqual([
      {
        verdict: 'valid',
        freshness: expect.stringMatching(/^(fresh|stale|future)$/),
        url,
        timestamp,
        received: expected().signature,
        expected: expected().signature,
        inner: expected().inner,
        diagnosis: null,
        verifiedHere: true,
      },
    ])
  })

  test.each([
    ['2026-11-21T04:00:23.000Z', ['--max-age', '300'], 0, 'fresh'],
    ['2026-11-21T05:00:23+01:00', ['--max-age', '300'], 0, 'fresh'],
    ['2026-11-21T04:10:22.000Z', [], 0, 'stale'],
    ['2026-11-21T04:10:22.000Z', ['--max-age', '300'], 1, 'stale'],
    ['2026-11-21T04:10:22.000Z', ['--max-age', '3600'], 0, 'fresh'],
    ['2026-11-21T03:00:22.000Z', ['--max-age', '300'], 1, 'future'],
    ['2026-11-21T04:00:23.000Z', ['--max-age', '0.1'], 1, 'stale'],
  ])('received at %s with %j it exits with %i, %s', async (at, more, code, freshness) => {
    const ran = await cli.run(
      [...verifyArgs(expected().signature), '--at', at, ...more, '--json'],
      { stdin: body },
    )
    expect(ran.code).toBe(code)
    expect(ran.json()[0]).toMatchObject({ verdict: 'valid', freshness })
  })

  const seconds = '1795233622'
  const unit = 'Timestamp is in seconds; the service sends milliseconds.'

  test('names the unit of the timestamp of a valid signature', async () => {
    const { signature } = expected(seconds)
    const args = verifyArgs(signature, seconds)
    const ran = await cli.run([...args, '--at', '2026-11-21T04:00:23Z', '--json'], { stdin: body })
    expect(ran.code).toBe(0)
    expect(ran.json()[0]).toMatchObject({
      verdict: 'valid',
      freshness: 'stale',
      expected: signature,
      diagnosis: { cause: 'timestamp:seconds', message: unit },
    })
    const forPeople = await cli.run(args, { stdin: body })
    expect(forPeople.text).toContain(unit)
    expect(forPeople.text).not.toMatch(/signed .* (before|after)/)
  })

  test('names the mistake and the unit of an invalid signature with a timestamp in seconds', async () => {
    const args = verifyArgs(expected(seconds).inner, seconds)
    const [report] = (await cli.run([...args, '--json'], { stdin: body })).json()
    expect(report).toMatchObject({
      verdict: 'invalid',
      diagnosis: { cause: 'passes:once', causes: ['passes:once', 'timestamp:seconds'] },
    })
    expect((report?.['diagnosis'] as { message: string } | undefined)?.message).toMatch(
      new RegExp(`^\\S.*\\. ${unit}$`),
    )
    expect((await cli.run(args, { stdin: body })).text).toContain(unit)
  })

  test('names the mistake and its fix', async () => {
    const ran = await cli.run([...verifyArgs(expected().inner), '--json'], { stdin: body })
    expect(ran.code).toBe(1)
    expect(ran.json()[0]?.['diagnosis']).toEqual({
      cause: expect.stringMatching(/^passes:/),
      message: expect.stringMatching(/\w+/),
      fix: expect.stringMatching(/\w+/),
    })
    const forPeople = await cli.run(verifyArgs(expected().inner), { stdin: body })
    expect(forPeople.text).toMatch(/verdict\s+invalid/)
    expect(forPeople.text).toMatch(/fix\s+\w/)
  })

  test.each([
    [{ timestamp: '', signature: 'x' }, 'missing'],
    [{ timestamp: '1795233622527', signature: '' }, 'stale'],
    [{ timestamp: '', signature: '' }, 'missing'],
  ])('is unsigned without a header: %o', async (headers, freshness) => {
    const args = Object.entries(headers).flatMap(([name, value]) => [`--${name}`, value])
    const ran = await cli.run(
      [
        'verify',
        '--secret',
        secret,
        '--url',
        url,
        ...args,
        '--at',
        '2026-12-01T00:00:00Z',
        '--json',
      ],
      {
        stdin: body,
      },
    )
    expect(ran.code).toBe(1)
    expect(ran.json()[0]).toMatchObject({ verdict: 'unsigned', freshness, diagnosis: null })
    const forPeople = await cli.run(['verify', '--secret', secret, '--url', url, ...args], {
      stdin: body,
    })
    const missing = Object.entries(headers).flatMap(([name, value]) => (value === '' ? [name] : []))
    for (const words of missing)
      expect(forPeople.text).toMatch(new RegExp(`why +No .*${words}.* header`))
    expect(forPeople.text).toMatch(/fix +The service signs every delivery\. .*countersign sign/)
  })
})

describe('the secret', () => {
  const sign = ['sign', '--url', url, '--timestamp', timestamp, '--json']

  test.each([
    ['the variable', [], { env: { COUNTERSIGN_SECRET: secret } }],
    ['a file', ['--secret-file', 'secret.txt'], {}],
    ['standard input', ['--secret', '-'], { stdin: `${secret}\n` }],
  ])('comes from %s', async (_name, args, options) => {
    await writeFile(join(folder, 'secret.txt'), `${secret}\r\n`)
    await writeFile(join(folder, 'body.bin'), body)
    const ran = await cli.run([...sign, ...args, '--body', 'body.bin'], options)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.json()[0]).toMatchObject({ signature: expected().signature })
  })

  const utf16 = Buffer.from(`\ufeff${secret}\r\n`, 'utf16le')
  test.each<[string, Buffer, boolean]>([
    ['UTF-16, as PowerShell writes it', utf16, true],
    ['big-endian UTF-16', Buffer.from(utf16).swap16(), true],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${secret}\n`), true],
    ['UTF-16 without a byte order mark', utf16.subarray(2), false],
    ['half a character of UTF-16', utf16.subarray(0, -1), false],
    ['bytes that are no text', Buffer.from([0x73, 0xff, 0xfe]), false],
    ['bytes that begin like UTF-16', Buffer.from([0xff, 0xfe, 0xfd, 0xfc]), false],
  ])('in a file in %s is decoded or refused', async (_, bytes, decoded) => {
    await writeFile(join(folder, 'encoded.txt'), bytes)
    await writeFile(join(folder, 'body.bin'), body)
    const ran = await cli.run([...sign, '--secret-file', 'encoded.txt', '--body', 'body.bin'])
    if (decoded) expect(ran.json()[0]).toMatchObject({ signature: expected().signature })
    else {
      expect(ran.code).toBe(2)
      expect(ran.stderr).toContain("isn't UTF-8 text")
    }
  })

  test.each([
    ['none', [], {}],
    ['an empty option', ['--secret', ''], {}],
    ['an empty variable', [], { env: { COUNTERSIGN_SECRET: '' } }],
    ['an empty file', ['--secret-file', 'empty.txt', '--body', 'body.bin'], {}],
    ['empty input', ['--secret', '-', '--body', 'body.bin'], { stdin: '\n' }],
    ['two sources', ['--secret', 'a', '--secret-file', 'secret.txt'], {}],
    ['a repeated option', ['--secret', 'a', '--secret', 'b'], {}],
    ['two readers of standard input', ['--secret', '-'], { stdin: 'a' }],
    ['two readers of standard input, both named', ['--secret', '-', '--body', '-'], { stdin: 'a' }],
  ])('rejects %s', async (_name, args, options) => {
    await writeFile(join(folder, 'empty.txt'), '\n')
    await writeFile(join(folder, 'secret.txt'), secret)
    await writeFile(join(folder, 'body.bin'), body)
    const ran = await cli.run([...sign, ...args], options)
    expect(ran).toMatchObject({ code: 2, text: '' })
    expect(ran.stderr).not.toBe('')
  })

  test('exits with 3 if the file is missing', async () => {
    const ran = await cli.run([...sign, '--secret-file', join(folder, 'nowhere')])
    expect(ran).toMatchObject({ code: 3, text: '' })
    expect(ran.stderr).toContain('nowhere')
  })
})

describe('usage', () => {
  const complete = 'verify --secret s --url u --timestamp 1 --signature x'.split(' ')
  test.each([
    [['nonsense']],
    [['verify']],
    [['verify', '--secret', 's', '--url', 'u', '--timestamp', '1']],
    [[...complete, '--at', 'yesterday']],
    [[...complete, '--max-age', '-1']],
    [['sign', '--nonsense']],
    [['sign', '--url', 'a', '--url', 'b', '--secret', 's']],
    [['deliveries', '--limit', '0']],
    [['deliveries', '--limit', 'many']],
    [['deliveries', 'two', 'queries']],
    [['wait', '--count', '0']],
    [['wait', '--timeout', 'x']],
    [['show']],
    [['show', 'latest', '--body', '--json']],
    [['trigger']],
    [['trigger', 'transaction.auth', '--fault', 'x']],
    [['hooks']],
    [['hooks', 'import', '--event', 'card.linked', '--secret', 's']],
    [['environments']],
    [['serve', '--receiver-port', '65536']],
    [['serve', '--ui-port', 'http']],
    [['serve', '--host', '0.0.0.0']],
    [['serve', '--host', 'example.com']],
  ])('%j exits with 2, prints nothing to standard output and creates nothing', async (args) => {
    const dataFolder = cli.newDataFolder()
    const ran = await cli.run(args, { env: { COUNTERSIGN_DATA: dataFolder } })
    expect(ran).toMatchObject({ code: 2, text: '' })
    expect(ran.stderr.trim()).not.toBe('')
    await expect(access(dataFolder)).rejects.toThrow('ENOENT')
  })

  test('without a command, prints help', async () => {
    const ran = await cli.run([])
    expect(ran).toMatchObject({ code: 2, text: '' })
    expect(ran.stderr).toContain('deliveries')
  })

  test('prints help and version to standard output', async () => {
    const help = await cli.run(['--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.text).toMatch(/^ {2}deliveries\b/m)
    expect((await cli.run(['deliveries', '--help'])).text).toContain('--follow')
    expect((await cli.run(['--version'])).text).toMatch(/^\d+\.\d+\.\d+$/)
  })

  test("the process exits with the command's code and uses its own environment and folder", async () => {
    await writeFile(join(folder, 'body.bin'), body)
    const args = ['--url', url, '--timestamp', timestamp, '--signature', 'x', '--body', 'body.bin']
    const variable = { env: { COUNTERSIGN_SECRET: secret } }
    const [no, usage, failed] = await Promise.all([
      cli.runProcess(['verify', ...args], variable),
      cli.runProcess(['verify', ...args]),
      cli.runProcess(['verify', ...args.slice(0, -1), 'nowhere.bin'], variable),
    ])
    expect([no.code, usage.code, failed.code]).toEqual([1, 2, 3])
    expect([no.stderr, usage.text, failed.text]).toEqual(['', '', ''])
  })

  test('closing the pipe early is silent and keeps the exit code of commands that have one', async () => {
    const unread = async (args: readonly string[]) => {
      const child = cli.start(args)
      child.stdout?.destroy()
      let said = ''
      child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
      await new Promise((resolve) => child.on('close', resolve))
      return [child.exitCode, said]
    }
    const forged = [...verifyArgs('x'), '--body', 'body.bin']
    expect(await Promise.all([unread(['--help']), unread(forged)])).toEqual([
      [0, ''],
      [1, ''],
    ])
  })
})
