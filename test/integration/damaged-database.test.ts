import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { fillFolderToDamage, readAll } from '../support/damage.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { overwrite, PAGE_BYTES, pagesOf } from '../support/pages.ts'
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'
import { lockForRepair } from '../../src/core/store/folder-lock.ts'
import { exitOf, cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

const seed = chooseSeed()
const random = createSeededRandom(seed)
let sound: string
beforeAll(async () => {
  sound = temporaryFolder()
  fillFolderToDamage(sound, random, 300)
})

/** Copies the folder and overwrites the first page of a table of this kind. */
async function damagedFolder(
  name: string,
  kind: string,
): Promise<{ folder: string; file: string }> {
  const folder = cli.newDataFolder()
  await cp(sound, folder, { recursive: true })
  const file = databaseFileOf(folder)
  const page = pagesOf(folder).find((one) => one.name === name && one.kind === kind)
  overwrite(file, random.bytes(PAGE_BYTES), ((page?.number ?? 1) - 1) * PAGE_BYTES)
  return { folder, file }
}

test('every command says which file is damaged, what still works and how to repair it; none fails with a bug', async () => {
  const id = [...readAll(databaseFileOf(sound)).deliveries.keys()].at(5) ?? ''
  for (const [name, kind] of [
    ['sqlite_schema', 'header'],
    ['deliveries', 'leaf'],
    ['bodies', 'leaf'],
    ['hooks', 'leaf'],
    ['settings', 'leaf'],
  ] as const) {
    const { folder, file } = await damagedFolder(name, kind)
    for (const args of [
      ['deliveries', '--limit', '1000'],
      ['deliveries', 'x'],
      ['show', id],
      ['hooks', 'list'],
      ['export'],
      ['flow', 'list'],
      ['settings'],
      ...(kind === 'header' ? [['serve', '--no-open']] : []),
    ]) {
      const { code, stderr } = await cli.given({ data: folder }).run`${args}`
      const where = `SEED=${seed} ${name} ${kind}: ${args.join(' ')}: ${stderr}`
      expect(stderr, where).not.toContain('Something went wrong')
      if (code === 0) continue
      expect([code, stderr.includes(file), stderr.includes('doctor --repair')], where).toEqual([
        3,
        true,
        true,
      ])
    }
    const doctor = await cli.given({ data: folder }).run`doctor --json`
    expect(doctor.code, `SEED=${seed} ${name} ${doctor.stderr}`).toBe(1)
    expect(doctor.json()[0]).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({
          name: 'database',
          outcome: 'failed',
          message: expect.stringContaining(file),
        }),
      ]),
    })
  }
})

test('doctor --repair recovers the readable rows, keeps the damaged file unchanged under another name, and the folder works again', async () => {
  const { folder, file } = await damagedFolder('deliveries', 'leaf')
  const damaged = await readFile(file)
  const { code, text } = await cli.given({ data: folder }).run`doctor --repair`
  expect([code, text], `SEED=${seed}`).toEqual([0, expect.stringContaining(`Repaired ${file}`)])
  const aside =
    readdirSync(folder).find((name) => /^countersign\.db\.damaged-\d{8}T\d{6}Z$/.test(name)) ?? ''
  expect((await readFile(`${dirname(file)}/${aside}`)).equals(damaged)).toBe(true)
  const before = readAll(databaseFileOf(sound)).deliveries
  const after = readAll(file).deliveries
  const lost = before.size - after.size
  expect(lost).toBeGreaterThan(0)
  expect(text).toContain(`deliveries: ${after.size} recovered, ${lost} lost`)
  for (const [id, row] of after) expect(row).toBe(before.get(id))
  for (const id of before.keys()) if (!after.has(id)) expect(text).toContain(`\n${id}\n`)
  expect(
    (await cli.given({ data: folder }).run`deliveries --limit 1000 --json`).json(),
  ).toHaveLength(after.size)
  expect(existsSync(`${file}.repairing`)).toBe(false)
})

test("a lost body is counted, named and shown as lost with its delivery; the user's notes stay unchanged", async () => {
  const { folder, file } = await damagedFolder('bodies', 'overflow')
  const { code, text } = await cli.given({ data: folder }).run`doctor --repair`
  expect(code, `SEED=${seed}`).toBe(0)
  expect(text).toContain('deliveries: 300 recovered, 1 body lost\n')
  const [, id = ''] = /^Deliveries without their body:\n(\S+)$/m.exec(text) ?? []
  const shown = async (...args: string[]) => cli.given({ data: folder }).run`show ${id} ${args}`
  expect((await shown('--json')).json()[0]).toMatchObject({ bodyLost: true, truncated: true })
  expect((await shown()).text).toMatch(/^body +[\d,]+ bytes, body lost to database damage$/m)
  expect(readAll(file).others.get('marks')).toEqual(
    readAll(databaseFileOf(sound)).others.get('marks'),
  )
  const whole = [...readAll(file).deliveries.keys()].find((other) => other !== id) ?? ''
  expect((await cli.given({ data: folder }).run`show ${whole} --json`).json()[0]).toMatchObject({
    bodyLost: false,
  })
})

test.each([0, 1])(
  'a database of %i bytes beside files of an earlier start is damage, and stays unchanged',
  async (bytes) => {
    const core = await coreInFolder()
    await core.stop()
    const file = databaseFileOf(core.dataFolder)
    truncateSync(file, bytes)
    for (const args of [['deliveries'], ['hooks', 'list'], ['serve', '--no-open']]) {
      const { code, stderr } = await cli.given({ data: core.dataFolder }).run`${args}`
      expect([code, stderr]).toEqual([3, expect.stringContaining(`Database ${file} is damaged`)])
      expect(stderr).toContain('doctor --repair')
    }
    const repair = await cli.given({ data: core.dataFolder }).run`doctor --repair`
    expect([repair.code, repair.stderr]).toEqual([3, expect.stringContaining('move it away')])
    expect(statSync(file).size).toBe(bytes)
    rmSync(file)
    expect((await cli.given({ data: core.dataFolder }).run`deliveries`).code).toBe(0)
  },
)

test('an empty file that an interrupted first start left becomes the database', async () => {
  const folder = temporaryFolder()
  for (const name of [databaseFileOf(folder), join(folder, 'instance.lock')])
    writeFileSync(name, '')
  expect(await cli.given({ data: folder }).run`hooks list`).toMatchObject({ code: 0, stderr: '' })
})

function isInUse(folder: string): boolean {
  try {
    const lock = lockForRepair(folder)
    if (!lock.isServed) lock.release()
    return false
  } catch {
    return true
  }
}

test('doctor --repair waits for another command on the folder, then is rejected; once that command exits, it repairs', async () => {
  const { folder, file } = await damagedFolder('deliveries', 'leaf')
  const { ino } = statSync(file)
  // An import that waits for its first line keeps the database open.
  const importing = cli.given({ data: folder, stdin: null }).start`import -`
  await expect.poll(() => isInUse(folder)).toBe(true)
  const { code, stderr } = await cli.given({ data: folder }).run`doctor --repair`
  expect([code, stderr.trim()]).toEqual([
    3,
    `Another countersign command is using ${folder}. Retry, or use --data.`,
  ])
  expect(statSync(file).ino).toBe(ino)
  expect(readdirSync(folder).filter((name) => /damaged|repair/.test(name))).toEqual([])
  importing.stdin?.end()
  await exitOf(importing)
  expect((await cli.given({ data: folder }).run`doctor --repair`).text).toContain(
    `Repaired ${file}`,
  )
})

test('doctor --repair is rejected while Countersign runs on the folder, and changes nothing', async () => {
  const core = await coreInFolder()
  // Without the search index and SQLite's temporary files, which come and go while a core runs.
  const lasting = () =>
    readdirSync(core.dataFolder).filter((name) => !/^search\.db|-(?:wal|shm|journal)$/.test(name))
  const names = lasting()
  const { code, stderr } = await cli.given({ data: core.dataFolder }).run`doctor --repair`
  expect([code, stderr]).toEqual([3, expect.stringContaining('Stop it')])
  expect(lasting()).toEqual(names)
})

test('a running core reports a damaged page in its status and keeps running', async () => {
  const { folder, file } = await damagedFolder('deliveries', 'leaf')
  const core = await coreInFolder({ dataFolder: folder })
  const ids = [...readAll(databaseFileOf(sound)).deliveries.keys()]
  let read = 0
  for (const id of ids) {
    const error = await core.call('deliveries.get', { id }).then(
      () => null,
      (reason: unknown) => reason,
    )
    if (error === null) read++
    else
      expect(error).toMatchObject({
        code: 'DATABASE_DAMAGED',
        message: expect.stringContaining(file),
      })
  }
  expect(read, `SEED=${seed}`).toBeGreaterThan(ids.length / 2)
  expect(read).toBeLessThan(ids.length)
  expect((await core.core.status()).store).toMatchObject({
    state: 'damaged',
    problem: expect.stringContaining('doctor --repair'),
  })
  expect(core.bugs).toEqual([])
})
