import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { cleanForLog, createFileLog } from './file-log.ts'

let dataFolder: string
beforeEach(() => {
  dataFolder = temporaryFolder()
})

const file = () => join(dataFolder, 'logs', 'countersign.log')
const lines = async () => (await readFile(file(), 'utf8')).trim().split('\n')

describe('the log', () => {
  test('creates no file until something is logged', async () => {
    createFileLog({ dataFolder, randomBytes })
    expect(await readdir(dataFolder)).toEqual([])
  })

  test('writes one JSON object per line, readable only by its owner', async () => {
    const log = createFileLog({ dataFolder, randomBytes })
    log.info('started', { port: 4783 })
    log.warn('slow')
    const [first, second] = (await lines()).map(
      (line) => JSON.parse(line) as Record<string, unknown>,
    )
    expect(first).toMatchObject({ level: 30, msg: 'started', port: 4783 })
    expect(second).toMatchObject({ level: 40, msg: 'slow' })
    if (process.platform !== 'win32') expect((await stat(file())).mode & 0o777).toBe(0o600)
  })

  test('keeps a bug with its stack and cause under the reference that it returns', async () => {
    const log = createFileLog({ dataFolder, randomBytes })
    const ref = log.bug(new Error('outer', { cause: new TypeError('inner') }), 'deliveries.list')
    expect(ref).toMatch(/^[0-9a-f]{8}$/)
    const entry = JSON.parse((await lines())[0] ?? '') as {
      error: { stack: string; cause: { name: string } }
    }
    expect(entry).toMatchObject({
      ref,
      msg: 'deliveries.list',
      error: { message: 'outer', cause: { name: 'TypeError' } },
    })
    expect(entry.error.stack).toContain('file-log.test.ts')
  })

  test("treats a thrown value that isn't an error as a bug too", () => {
    const log = createFileLog({ dataFolder, randomBytes })
    for (const thrown of [null, undefined, 'text', 1n, Symbol('x'), () => 1])
      expect(log.bug(thrown, 'somewhere')).toMatch(/^[0-9a-f]{8}$/)
  })

  test("doesn't fail if it can't write", async () => {
    await writeFile(join(dataFolder, 'logs'), 'a file where the folder should be')
    const log = createFileLog({ dataFolder, randomBytes })
    expect(log.bug(new Error('x'), 'somewhere')).toMatch(/^[0-9a-f]{8}$/)
  })

  test.skipIf(process.platform === 'win32').each([
    ['countersign.log', 'a file'],
    ['', 'a folder'],
  ])('writes nothing through a link: logs/%s leads to %s', async (name, what) => {
    const other = join(dataFolder, 'other')
    const link = join(dataFolder, 'logs', name)
    if (what === 'a folder') await mkdir(other)
    else {
      await mkdir(join(dataFolder, 'logs'))
      await writeFile(other, 'a file of the user')
    }
    await symlink(other, link.replace(/\/$/, ''))
    createFileLog({ dataFolder, randomBytes }).warn('slow')
    if (what === 'a folder') expect(await readdir(other)).toEqual([])
    else expect(await readFile(other, 'utf8')).toBe('a file of the user')
  })

  test('rotates a large log', async () => {
    await mkdir(join(dataFolder, 'logs'))
    await writeFile(file(), 'x'.repeat(5 * 1_048_576 + 1))
    createFileLog({ dataFolder, randomBytes }).info('started')
    expect((await lines()).length).toBe(1)
    expect((await stat(`${file()}.1`)).size).toBeGreaterThan(5 * 1_048_576)
  })
})

describe('its content', () => {
  test.each([
    [{ secret: 'canary' }],
    [{ hook: { secretKey: 'canary' } }],
    [{ headers: { 'Service-Key': 'canary', Cookie: 'a=canary', 'x-service-signature': 'canary' } }],
    [{ authorization: 'Bearer canary' }],
    [{ list: [{ access_token: 'canary' }] }],
    ['GET /?token=canary HTTP/1.1'],
    ['http://127.0.0.1:4780/?a=1&token=canary&b=2'],
    ['countersign, ticket.canarycanarycanary'],
    ['Authorization: Bearer canary.canary.canary'],
    ['https://user:canary@example.com/'],
    ['key sk_test_canarycanary'],
    [new Error('fetch http://h/?token=canary failed')],
  ])('contains no secret: %o', (value) => {
    expect(JSON.stringify(cleanForLog(value))).not.toContain('canary')
  })

  test("keeps values that aren't secret", () => {
    expect(cleanForLog({ path: '/h/abc?x=1', port: 4783, monkey: 'see', tokens: null })).toEqual({
      path: '/h/abc?x=1',
      port: 4783,
      monkey: 'see',
      tokens: '[masked]',
    })
  })

  test('contains no character that a terminal interprets', () => {
    expect(cleanForLog('a\u001b[31mb\u009bc\u202ed\re')).toBe(
      'a\\u001b[31mb\\u009bc\\u202ed\\u000de',
    )
  })

  test('handles a value that contains itself', () => {
    const value: Record<string, unknown> = {}
    value['self'] = value
    expect(JSON.stringify(cleanForLog(value))).toContain('[object]')
  })
})

test('an error with a numeric code is logged, as for an aborted call', () => {
  expect(cleanForLog(new DOMException('Stopped.', 'AbortError'))).toMatchObject({
    name: 'AbortError',
    code: '20',
  })
})
