/**
 * Promise: readable data of a damaged database is recovered byte for byte, and losses are reported.
 */
import { readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { completeReplacement } from '../../src/core/store/complete-replacement.ts'
import { repairDatabase } from '../../src/core/store/repair.ts'
import {
  fillFolderToDamage,
  readAll,
  recoverDamaged,
  type Recovered,
  type StoredRows,
} from '../support/damage.ts'
import { times } from '../support/long-form.ts'
import { overwrite, pagesOf, PAGE_BYTES, type DamagePage } from '../support/pages.ts'
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { captureOf } from '../support/test-store.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'

const PAGES = times(10, 1_000)
const seed = chooseSeed()
const random = createSeededRandom(seed)
let folder: string
let pages: DamagePage[]
let before: StoredRows
beforeAll(() => {
  folder = temporaryFolder()
  fillFolderToDamage(folder, random, 600)
  pages = pagesOf(folder)
  before = readAll(databaseFileOf(folder))
})

const damagePage = (number: number) => (file: string) => {
  overwrite(file, random.bytes(PAGE_BYTES), (number - 1) * PAGE_BYTES)
}

/** Returns missing IDs, and IDs with another delivery or body than before. */
function compare({ after }: Recovered, stored = before) {
  const gone = [...stored.deliveries.keys()].filter((id) => !after.deliveries.has(id))
  const changed = [...after.deliveries]
    .filter(([id, row]) => stored.deliveries.get(id) !== row)
    .map(([id]) => id)
  return { gone, changed }
}

function missing({ after }: Recovered, table: string): string[] {
  const found = new Set(after.others.get(table))
  return (before.others.get(table) ?? []).filter((row) => !found.has(row))
}

/**
 * Expects what must be true for any damage: the new file is sound, no recovered row is altered, and
 * each loss is reported, by name if the index of IDs is intact.
 */
function expectHonest(
  recovered: Recovered,
  stored: StoredRows,
  where: string,
  isIndexWhole = true,
): void {
  const { gone, changed } = compare(recovered, stored)
  const { report, integrity } = recovered
  const lost = report.parts.find(({ name }) => name === 'deliveries')?.lost
  expect(integrity, where).toBe('ok')
  expect(changed.toSorted(), where).toEqual(report.lostBodies.toSorted())
  // If the indexes are damaged too, the number of losses is unknown, and the report says so.
  if (lost === null) expect(gone.length, where).toBeGreaterThan(0)
  else expect(lost, where).toBe(gone.length)
  const unnamed = gone.filter((id) => !report.lostDeliveries.includes(id))
  expect(
    report.lostDeliveries.filter((id) => !gone.includes(id)),
    where,
  ).toEqual([])
  if (isIndexWhole) expect(unnamed, where).toEqual([])
}

test('each damaged page only costs the data on it, and the loss is reported', () => {
  const ofEachKind = ['leaf', 'overflow'].map((kind) =>
    random.pick(pages.filter((page) => page.kind === kind)),
  )
  const others = Array.from({ length: PAGES - 2 }, () => random.pick(pages.slice(1)))
  for (const page of [...ofEachKind, ...others]) {
    const where = `SEED=${seed} page ${page.number}: ${page.kind} of ${page.name}`
    const recovered = recoverDamaged(folder, damagePage(page.number))
    expectHonest(recovered, before, where)
    const { gone, changed } = compare(recovered)
    const onPage = page.kind === 'leaf' ? page.cells : page.kind === 'overflow' ? 1 : 0
    expect(gone.length, where).toBeLessThanOrEqual(page.name === 'deliveries' ? onPage : 0)
    expect(changed.length, where).toBeLessThanOrEqual(page.name === 'bodies' ? onPage : 0)
    for (const table of ['hooks', 'hook_secrets', 'settings', 'environments', 'replay_jobs']) {
      // A hook's secrets go with it.
      if (page.name === table || page.name === 'hooks') continue
      expect(missing(recovered, table), `${where}: ${table}`).toEqual([])
    }
  }
})

test('a damaged inner page of deliveries or bodies costs nothing', () => {
  const inner = pages.filter(
    ({ name, kind }) =>
      kind === 'internal' && (name === 'deliveries' || name === 'bodies' || name === 'sends'),
  )
  expect(inner.length).toBeGreaterThanOrEqual(3)
  for (const { number, name } of inner) {
    const recovered = recoverDamaged(folder, damagePage(number))
    expectHonest(recovered, before, `SEED=${seed} inner page of ${name}`)
    expect(compare(recovered)).toEqual({ gone: [], changed: [] })
    expect(missing(recovered, 'sends')).toEqual([])
  }
})

test.for([
  ['the first 100 bytes', 100],
  ['the whole first page', PAGE_BYTES],
] as const)('with %s overwritten, everything is recovered', ([, size]) => {
  const recovered = recoverDamaged(folder, (file) => {
    overwrite(file, random.bytes(size), 0)
  })
  expectHonest(recovered, before, `SEED=${seed}`)
  expect(compare(recovered)).toEqual({ gone: [], changed: [] })
  for (const table of before.others.keys()) expect(missing(recovered, table), table).toEqual([])
})

test('from a larger file with 60 damaged pages, every delivery on other pages is recovered', () => {
  const larger = temporaryFolder()
  fillFolderToDamage(larger, random, times(1_000, 3_000))
  const there = pagesOf(larger)
  const stored = readAll(databaseFileOf(larger))
  // The page map is damaged separately, above. Together with an inner page it leaves no path to the
  // pages below.
  const damaged = new Set(Array.from({ length: 60 }, () => random.integer(3, there.length)))
  const recovered = recoverDamaged(larger, (file) => {
    for (const number of damaged) damagePage(number)(file)
  })
  expectHonest(recovered, stored, `SEED=${seed} pages ${[...damaged].join(' ')}`, false)
  const onThem = (name: string) =>
    there
      .filter((page) => page.name === name && damaged.has(page.number))
      .reduce(
        (sum, { kind, cells }) => sum + (kind === 'leaf' ? cells : kind === 'overflow' ? 1 : 0),
        0,
      )
  const { gone, changed } = compare(recovered, stored)
  expect(gone.length, `SEED=${seed}`).toBeLessThanOrEqual(onThem('deliveries'))
  expect(changed.length, `SEED=${seed}`).toBeLessThanOrEqual(onThem('bodies'))
})

test('deliveries that only the write-ahead log has are recovered', () => {
  const killed = temporaryFolder()
  fillFolderToDamage(killed, random, 200)
  const { db, put } = openTestDatabase(killed)
  db.pragma('wal_autocheckpoint = 0')
  put(Array.from({ length: 50 }, () => captureOf(random.bytes(9_000))))
  const stored = readAll(databaseFileOf(killed))
  const page = pages.find(({ name, kind }) => name === 'hooks' && kind === 'leaf')
  for (const number of [1, page?.number ?? 0]) {
    const recovered = recoverDamaged(killed, damagePage(number))
    expectHonest(recovered, stored, `SEED=${seed} page ${number}`)
    expect(compare(recovered, stored)).toEqual({ gone: [], changed: [] })
  }
  db.close()
})

test("a newer version's database is left unchanged", () => {
  const newer = temporaryFolder()
  fillFolderToDamage(newer, random, 10)
  const file = databaseFileOf(newer)
  const { db } = openTestDatabase(newer)
  db.pragma('user_version = 9999')
  db.close()
  damagePage(3)(file)
  const bytes = readFileSync(file)
  expect(() => repairDatabase(newer)).toThrow(
    expect.objectContaining({ code: 'DATABASE_FROM_FUTURE' }),
  )
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(readdirSync(newer).filter((name) => /damaged|repair/.test(name))).toEqual([])
})

test("a crash while the new file takes the damaged one's place is completed by the next start", () => {
  for (let done = 0; done <= 2; done++) {
    const crashed = temporaryFolder()
    const file = databaseFileOf(crashed)
    writeFileSync(file, 'damaged')
    writeFileSync(`${file}-wal`, 'log of the damaged one')
    writeFileSync(`${file}.repaired`, 'new')
    const at = new Date('2026-11-26T12:00:00Z')
    utimesSync(`${file}.repaired`, at, at)
    const setAside = `${file}.damaged-20261126T120000Z`
    for (const end of ['-wal', ''].slice(0, done)) renameSync(file + end, setAside + end)
    completeReplacement(file)
    completeReplacement(file)
    expect([file, setAside, `${setAside}-wal`].map((name) => readFileSync(name, 'utf8'))).toEqual([
      'new',
      'damaged',
      'log of the damaged one',
    ])
    expect(readdirSync(crashed)).toHaveLength(3)
    // A second repair within the same second overwrites nothing.
    writeFileSync(`${file}.repaired`, 'newer')
    utimesSync(`${file}.repaired`, at, at)
    expect(completeReplacement(file)).toBe(`${setAside}-2`)
    expect(readFileSync(setAside, 'utf8')).toBe('damaged')
  }
})

test('a sound file loses nothing and is reported as sound', () => {
  const recovered = recoverDamaged(folder, () => undefined)
  expect(recovered.report.outcome).toBe('sound')
  expect(compare(recovered)).toEqual({ gone: [], changed: [] })
  for (const table of before.others.keys()) expect(missing(recovered, table), table).toEqual([])
})
