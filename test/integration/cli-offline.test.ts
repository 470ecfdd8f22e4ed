import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()
const secret = 'whsec-offline-secret'
const url = 'https://example.com/hooks?x=1'
const timestamp = '1795233622527'
const body = Buffer.from([0x7b, 0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0a, 0x7d])
const { run, runProcess } = cli.given({ stdin: body })

beforeAll(() => writeFileSync('body.bin', body))

const pass = (input: string | Uint8Array) =>
  createHmac('sha256', secret).update(input).digest('base64')

/** Computes the signature independently of the command. */
function expected(at = timestamp) {
  const inner = pass(Buffer.concat([body, Buffer.from(url + at)]))
  return { inner, signature: pass(inner) }
}

const verify = (signature: string, at = timestamp) =>
  `verify --secret ${secret} --url ${url} --timestamp ${at} --signature ${signature}`.split(' ')

describe('sign', () => {
  test('signs the exact bytes of standard input', async () => {
    for (const how of [run, runProcess]) {
      const ran = await how`sign --secret ${secret} --url ${url} --timestamp ${timestamp} --json`
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      const { inner, signature } = expected()
      expect(ran.json()).toEqual([{ signature, timestamp, inner }])
    }
  })

  test('signs a file, with the current time by default', async () => {
    const before = Date.now()
    const [signed] = await cli.json`sign --secret ${secret} --url ${url} --body body.bin`
    expect(Number(signed?.['timestamp'])).toBeGreaterThanOrEqual(before)
    const args = verify(String(signed?.['signature']), String(signed?.['timestamp']))
    expect((await cli.run`${args} --body body.bin --max-age 60`).code).toBe(0)
  })
})

describe('verify', () => {
  test('a correct signature is valid', async () => {
    const ran = await run`${verify(expected().signature)} --json`
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
    ['2026-11-21T05:00:23+01:00', '300', 0, 'fresh'],
    ['2026-11-21T04:10:22.000Z', null, 0, 'stale'],
    ['2026-11-21T04:10:22.000Z', '300', 1, 'stale'],
    ['2026-11-21T03:00:22.000Z', '300', 1, 'future'],
  ])('received at %s with --max-age %s it exits with %i, %s', async (at, age, code, freshness) => {
    const more = age === null ? [] : ['--max-age', age]
    const ran = await run`${verify(expected().signature)} --at ${at} ${more} --json`
    expect([ran.code, ran.json()]).toMatchObject([code, [{ verdict: 'valid', freshness }]])
  })

  test('names the mistake and its fix', async () => {
    const ran = await run`${verify(expected().inner)} --json`
    expect(ran.code).toBe(1)
    expect(ran.json()[0]?.['diagnosis']).toEqual({
      cause: expect.stringMatching(/^passes:/),
      message: expect.stringMatching(/\w+/),
      fix: expect.stringMatching(/\w+/),
    })
    expect((await run`${verify(expected().inner)}`).text).toMatch(/verdict\s+invalid[^]*fix\s+\w/)
  })

  test('is unsigned without a header', async () => {
    const at = '--at 2026-12-01T00:00:00Z'.split(' ')
    const unsigned = { verdict: 'unsigned', diagnosis: null }
    const without = async (time: string, signature: string) => {
      const { code, ...ran } =
        await run`verify --secret ${secret} --url ${url} --timestamp '${time}' --signature '${signature}' ${at} --json`
      return [code, ran.json()[0]]
    }
    expect(await without('', 'x')).toMatchObject([1, { ...unsigned, freshness: 'missing' }])
    expect(await without(timestamp, '')).toMatchObject([1, { ...unsigned, freshness: 'stale' }])
  })
})

describe('the secret', () => {
  const sign = `sign --url ${url} --timestamp ${timestamp} --json --body body.bin`.split(' ')

  test.each([
    ['the variable', [], { env: { COUNTERSIGN_SECRET: secret } }],
    ['a file', ['--secret-file', 'secret.txt'], {}],
    ['standard input', ['--secret', '-'], { stdin: `${secret}\n` }],
  ])('comes from %s', async (_name, args, options) => {
    writeFileSync('secret.txt', `${secret}\r\n`)
    const ran = await cli.given(options).run`${sign} ${args}`
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
  ])('in a file in %s is decoded or refused', async (_, bytes, decoded) => {
    writeFileSync('encoded.txt', bytes)
    const ran = await cli.run`${sign} --secret-file encoded.txt`
    if (decoded) expect(ran.json()[0]).toMatchObject({ signature: expected().signature })
    else expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("isn't UTF-8 text")])
  })
})

describe('the process', () => {
  const forged = verify('x').toSpliced(1, 2)
  const variable = cli.given({ env: { COUNTERSIGN_SECRET: secret } })

  test('prints help and version to standard output, and help as an error without a command', async () => {
    const help = await cli.given({ data: null }).run`--help`
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.text).toMatch(/^ {2}deliveries\b/m)
    expect((await cli.run`--version`).text).toMatch(/^\d+\.\d+\.\d+$/)
    expect(await cli.given({ data: null }).run``).toMatchObject({
      code: 2,
      text: '',
      stderr: expect.stringContaining('deliveries'),
    })
  })

  test("exits with the command's code and uses its own environment and folder", async () => {
    const ran = await Promise.all([
      variable.runProcess`${forged} --body body.bin`,
      cli.runProcess`${forged} --body body.bin`,
      variable.runProcess`${forged} --body nowhere.bin`,
    ])
    expect(ran.map(({ code }) => code)).toEqual([1, 2, 3])
    expect([ran[0].stderr, ran[1].text, ran[2].text]).toEqual(['', '', ''])
  })

  test('closing the pipe early is silent and keeps the exit code of commands that have one', async () => {
    const unread = async (child: ReturnType<typeof cli.start>) => {
      child.stdout?.destroy()
      let said = ''
      child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
      await new Promise((resolve) => child.on('close', resolve))
      return [child.exitCode, said]
    }
    const both = [cli.start`--help`, variable.start`${forged} --body body.bin`]
    expect(await Promise.all(both.map(unread))).toEqual([
      [0, ''],
      [1, ''],
    ])
  })
})
