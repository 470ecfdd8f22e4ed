import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { databaseFileOf } from '../../src/core/store/database.ts'
import { folderWith, idsIn, unfinishedIn } from '../support/database-files.ts'
import { createDeliverer } from '../support/deliver.ts'
import { times } from '../support/long-form.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

test('backups made during 500 deliveries per second lose and double nothing', async () => {
  const serving = await cli.serveProcess()
  const { send, close } = createDeliverer(serving.info.ca, 16)
  let sent = 0
  let acknowledged = 0
  let isSending = true
  const responses: Promise<unknown>[] = []
  const sending = (async () => {
    for (; isSending || sent < 500; await delay(10))
      for (let index = 0; index < 5; index++)
        responses.push(
          send(`${serving.info.receiver}/number/${++sent}`, { body: '{}', headers: [] }).then(
            ({ status }) => {
              expect(status).toBe(200)
              acknowledged++
            },
          ),
        )
  })()
  const backups: { file: string; before: number; count: number }[] = []
  for (let round = 0; round < times(3, 20); round++) {
    const before = acknowledged
    const file = join(cli.folder, `busy-${round}.db`)
    const { code, stderr, json } = await cli.runProcess`backup ${file} --json`
    expect([code, stderr]).toEqual([0, ''])
    const [result] = json()
    expect(result).toMatchObject({ file, bytes: statSync(file).size })
    backups.push({ file, before, count: Number(result?.['deliveries']) })
  }
  isSending = false
  await sending
  await Promise.all(responses)
  close()
  expect(await serving.stop()).toBe(0)
  const all = idsIn(databaseFileOf(cli.data))
  expect([acknowledged, all.length]).toEqual([sent, sent])
  for (const { file, before, count } of backups) {
    const ids = idsIn(file)
    expect(ids).toEqual(all.slice(0, count))
    expect(ids.length).toBeGreaterThanOrEqual(before)
  }
})

const disk = mountSmallDisk(12)
afterAll(() => disk?.unmount())

describe.skipIf(disk === null)('on a full disk', () => {
  const full = disk?.folder ?? ''

  test('a backup says so and leaves nothing; the data is unchanged', async () => {
    const { folder } = folderWith(2_000, 'large')
    const target = join(full, 'backup.db')
    const { code, stderr } = await cli.given({ data: folder }).run`backup ${target}`
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /^The disk of \S+ is full or failing \(.+\)\. Nothing was changed\. Free some space, then try again\.\n$/,
      ),
    ])
    expect(readdirSync(full)).toEqual([])
    expect(idsIn(databaseFileOf(folder))).toHaveLength(2_000)
  })

  test('a restore says so, and the old database still opens', async () => {
    const large = folderWith(2_000, 'large')
    const data = join(full, 'data')
    await cli.given({ data }).run`views save mine is:valid`
    const { code, stderr } = await cli.given({ data }).run`restore ${large.file}`
    expect([code, stderr]).toEqual([3, expect.stringContaining('is full or failing')])
    expect((await cli.given({ data }).json`views list`)[0]).toMatchObject({ name: 'mine' })
    expect(unfinishedIn(data)).toEqual([])
  })
})

describe('restore', () => {
  test('refuses while Countersign runs, and names the process', async () => {
    const { folder } = folderWith(1, 'served')
    const backup = join(temporaryFolder(), 'backup.db')
    expect((await cli.given({ data: folder }).run`backup ${backup}`).text).toMatch(
      /^Backed up 1 delivery \([\d.]+ kB\) to \S+backup\.db\.$/,
    )
    const serving = await cli.serve(folder)
    const { code, stderr } = await cli.given({ data: folder }).run`restore ${backup}`
    expect([code, stderr]).toEqual([
      3,
      `Countersign is running on ${folder} (process ${serving.info.pid}, loopback). Stop it, then run "countersign restore ${backup}" again.\n`,
    ])
    await serving.stop()
  })

  test("names secrets that this computer can't decrypt, with a command for each", async () => {
    const source = cli.given({ data: cli.newDataFolder() })
    await source.run`environments add staging --mode test --base-url https://127.0.0.1:9 --key sk_1`
    await source.run`handlers add mine --url http://127.0.0.1:9/ --secret whsec_1`
    const backup = join(temporaryFolder(), 'backup.db')
    await source.run`backup ${backup}`
    expect(readFileSync(backup).includes('whsec_1')).toBe(false)
    const other = cli.given({ data: cli.newDataFolder() })
    const { text } = await other.run`restore ${backup}`
    expect(text).toContain("This computer can't decrypt 2 stored secrets. Enter them again:")
    expect(text).toContain(
      'key of environment staging: Run "countersign environments update staging --key-file FILE".',
    )
    expect(text).toContain(
      'secret of handler mine: Run "countersign handlers update mine --secret-file FILE".',
    )
    const same = await source.run`restore ${backup}`
    expect(same.text).not.toContain('decrypt')
    expect(same.text).toMatch(
      /^The old database is now \S+countersign\.db\.before-restore-\d+T\d+Z\.$/m,
    )
  })

  test.each([
    [
      'text',
      () => Buffer.from('This is a letter. '.repeat(900)),
      "isn't a database of Countersign",
    ],
    [
      'a database of something else',
      otherDatabase('CREATE TABLE notes (a)', 0),
      "isn't a database of Countersign",
    ],
    [
      'a database with an added trigger',
      otherDatabase('CREATE TRIGGER t AFTER INSERT ON deliveries BEGIN DELETE FROM hooks; END'),
      "isn't a database of Countersign",
    ],
    [
      'a newer version',
      otherDatabase('CREATE TABLE later (a)', 9_999),
      'was written by a newer version',
    ],
    ['a damaged backup', damagedDatabase, 'is damaged'],
  ])('refuses %s and changes nothing', async (_, contents, reason) => {
    const { folder, file } = folderWith(2, 'kept')
    const before = readFileSync(file)
    const given = join(temporaryFolder(), 'given.db')
    writeFileSync(given, contents())
    const { code, stderr } = await cli.given({ data: folder }).run`restore ${given}`
    expect([code, stderr]).toEqual([3, expect.stringContaining(`${given} ${reason}`)])
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(unfinishedIn(folder)).toEqual([])
  })

  test('Ctrl+C during a copy changes nothing', async () => {
    const source = folderWith(3_000, 'large')
    const data = cli.newDataFolder()
    await cli.given({ data }).run`views save mine is:valid`
    for (let wait = 20; ; wait = (wait + 20) % 400) {
      const before = readFileSync(databaseFileOf(data))
      const begun = cli.given({ data }).begin`restore ${source.file}`
      await delay(wait)
      const code = await begun.stop()
      expect(unfinishedIn(data)).toEqual([])
      if (code === 0) continue
      expect([code, begun.said()]).toEqual([3, 'Restore stopped. Nothing was changed.\n'])
      expect(readFileSync(databaseFileOf(data)).equals(before)).toBe(true)
      break
    }
  })
})

function otherDatabase(sql: string, version?: number): () => Buffer {
  return () => {
    const { file } = folderWith(1, 'other', (db) => {
      if (version === 0) for (const name of ['causes', 'details']) db.exec(`DROP TABLE ${name}`)
      db.exec(sql)
      if (version !== undefined) db.pragma(`user_version = ${version}`)
    })
    return readFileSync(file)
  }
}

function damagedDatabase(): Buffer {
  const bytes = readFileSync(folderWith(50, 'damaged').file)
  return bytes.fill(0xff, bytes.length - 8_192, bytes.length - 4_096)
}
