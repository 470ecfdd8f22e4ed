import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { reserveInstance, readInstance, type Instance } from './instance-file.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const fileOf = () => join(folder, 'instance.json')
const NOW = '2026-11-21T00:00:00.000Z'

function instance(part: Partial<Instance> = {}): Instance {
  return {
    pid: process.pid,
    version: '1.0.0',
    host: 'loopback',
    startedAt: NOW,
    control: null,
    receiver: null,
    sandbox: null,
    ca: '/ca.pem',
    data: folder,
    ...part,
  }
}

const CONTROL = { url: 'ws://127.0.0.1:1', token: 'token' }
const silent = () => Promise.resolve(false)
const answering = () => Promise.resolve(true)

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid ?? 0
}

describe('the instance file', () => {
  test('exists while the instance runs, readable by its user only, and is removed afterwards', async () => {
    const held = await reserveInstance(folder, instance(), silent)
    expect(await readInstance(folder)).toEqual(instance())
    await held.publish(instance({ control: CONTROL }))
    expect(await readInstance(folder)).toEqual(instance({ control: CONTROL }))
    if (process.platform !== 'win32') expect(statSync(fileOf()).mode & 0o777).toBe(0o600)
    await held.release()
    expect(existsSync(fileOf())).toBe(false)
    expect(await readInstance(folder)).toBe(null)
  })

  test('blocks a second instance and names the first', async () => {
    const held = await reserveInstance(folder, instance(), silent)
    await held.publish(instance({ control: CONTROL }))
    const before = readFileSync(fileOf(), 'utf8')
    await expect(reserveInstance(folder, instance({ pid: 1 }), answering)).rejects.toMatchObject({
      code: 'ALREADY_RUNNING',
      message: expect.stringContaining(`process ${process.pid} (loopback)`),
      details: { pid: process.pid },
    })
    expect(readFileSync(fileOf(), 'utf8')).toBe(before)
    await held.release()
  })

  test("a starting instance isn't replaced", async () => {
    const held = await reserveInstance(folder, instance(), silent)
    await expect(reserveInstance(folder, instance(), silent)).rejects.toMatchObject({
      code: 'ALREADY_RUNNING',
    })
    await held.release()
  })

  test.each([
    [
      'of a dead process',
      async () => JSON.stringify(instance({ pid: await deadPid(), control: CONTROL })),
    ],
    ['of a process ID that was reused', () => JSON.stringify(instance({ control: CONTROL }))],
    [
      'of a start that never finished',
      () => JSON.stringify(instance({ startedAt: '2026-11-20T23:00:00.000Z' })),
    ],
    ['half written', () => JSON.stringify(instance()).slice(0, 40)],
    ['empty', () => ''],
    ['of another version', () => '{"something":"else"}'],
  ])('%s is replaced', async (_name, text) => {
    writeFileSync(fileOf(), await text())
    const held = await reserveInstance(folder, instance({ version: '2.0.0' }), silent)
    expect((await readInstance(folder))?.version).toBe('2.0.0')
    await held.release()
    expect(existsSync(fileOf())).toBe(false)
  })

  test.each([
    'ws://192.0.2.2:1',
    'ws://localhost:1',
    'ws://127.0.0.1.nip.io:1',
    'ws://127.0.0.1:1@192.0.2.2',
    'ws://127.0.0.1:1/',
    'ws://127.0.0.1:99999',
    'ws://127.0.0.1',
    'wss://127.0.0.1:1',
    'ws://[::1]:1',
    ' ws://127.0.0.1:1',
    'ws://127.0.0.1:1\n',
  ])("a control URL other than loopback's is ignored: %j", async (url) => {
    writeFileSync(fileOf(), JSON.stringify(instance({ control: { ...CONTROL, url } })))
    expect(await readInstance(folder)).toBe(null)
  })

  test.skipIf(process.platform === 'win32')(
    "a link, a pipe, a huge file and another user's file aren't read",
    async () => {
      const text = JSON.stringify(instance({ control: CONTROL }))
      const elsewhere = join(folder, 'elsewhere.json')
      writeFileSync(elsewhere, text)
      symlinkSync(elsewhere, fileOf())
      expect(await readInstance(folder)).toBe(null)
      rmSync(fileOf())
      execFileSync('mkfifo', [fileOf()])
      expect(await readInstance(folder)).toBe(null)
      rmSync(fileOf())
      writeFileSync(fileOf(), text)
      expect(await readInstance(folder)).not.toBe(null)
      truncateSync(fileOf(), 1_073_741_824)
      expect(await readInstance(folder)).toBe(null)
      writeFileSync(fileOf(), text)
      if (process.getuid?.() !== 0) return
      chownSync(fileOf(), 12_345, 12_345)
      expect(await readInstance(folder)).toBe(null)
    },
  )

  test('a file that was copied along with a served folder is replaced, and not connected to', async () => {
    const copy = temporaryFolder()
    const held = await reserveInstance(folder, instance(), silent)
    await held.publish(instance({ control: CONTROL }))
    copyFileSync(fileOf(), join(copy, 'instance.json'))
    expect(await readInstance(copy)).toBe(null)
    const other = await reserveInstance(copy, instance({ data: copy }), answering)
    expect((await readInstance(copy))?.data).toBe(copy)
    await other.release()
    expect(await readInstance(join(folder, '.'))).toMatchObject({ data: folder })
    await held.release()
  })

  test('if several instances start at once over a stale file, exactly one gets the folder', async () => {
    const stale = JSON.stringify(instance({ pid: await deadPid(), control: CONTROL }))
    for (let round = 0; round < 30; round++) {
      writeFileSync(fileOf(), stale)
      const outcomes = await Promise.allSettled(
        ['a', 'b', 'c', 'd'].map((version) =>
          reserveInstance(folder, instance({ version }), silent),
        ),
      )
      const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled')
      expect(winners.length, `round ${round}`).toBe(1)
      await winners[0]?.value.release()
    }
  })

  test.each([
    ['another token', () => instance({ control: { ...CONTROL, token: 'other' } })],
    ['another process', async () => instance({ pid: await deadPid() })],
    ['no file at all', () => null],
  ])(
    "%s instead of the written file doesn't let a second instance start",
    async (_name, altered) => {
      const first = await reserveInstance(folder, instance(), silent)
      await first.publish(instance({ control: CONTROL }))
      const other = await altered()
      if (other === null) rmSync(fileOf())
      else writeFileSync(fileOf(), JSON.stringify(other))
      await expect(reserveInstance(folder, instance(), silent, 50)).rejects.toMatchObject({
        code: 'ALREADY_RUNNING',
      })
      await first.release()
      const second = await reserveInstance(folder, instance(), silent)
      await second.release()
    },
  )

  test('an ending instance is waited for', async () => {
    const first = await reserveInstance(folder, instance({ control: CONTROL }), silent)
    setTimeout(() => void first.release(), 100)
    const second = await reserveInstance(folder, instance({ version: 'second' }), silent)
    expect((await readInstance(folder))?.version).toBe('second')
    await second.release()
  })

  test("an ending instance doesn't remove another one's file", async () => {
    const held = await reserveInstance(folder, instance(), silent)
    const other = instance({ startedAt: '2026-11-21T00:00:01.000Z' })
    writeFileSync(fileOf(), JSON.stringify(other))
    await held.release()
    expect(await readInstance(folder)).toEqual(other)
  })
})
