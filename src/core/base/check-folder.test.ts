import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { coreInFolder } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createFileLog } from '../app/file-log.ts'
import { checkDataFolder } from './check-folder.ts'

let folder: string
let other: string
beforeEach(() => {
  folder = join(temporaryFolder(), 'data')
  mkdirSync(folder)
  other = join(temporaryFolder(), 'other')
  writeFileSync(other, 'a file of the user')
})

const problem = (path = folder) => {
  try {
    checkDataFolder(path)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
const refusal = (name: string) =>
  `${join(folder, name)} isn't a plain file or folder. Move it away, or choose another data folder with --data or COUNTERSIGN_DATA.`

/** Replaces a file or folder for a test, and removes the replacement. */
function problemWith(name: string, plant: (path: string) => void): string | null {
  const path = join(folder, name)
  const aside = join(temporaryFolder(), 'aside')
  renameSync(path, aside)
  plant(path)
  const found = problem()
  renameSync(path, join(temporaryFolder(), 'planted'))
  renameSync(aside, path)
  return found
}

test('no file or folder that a served data folder contains may be a link or a pipe', async () => {
  const log = createFileLog({ dataFolder: folder, randomBytes: (count) => new Uint8Array(count) })
  const core = await coreInFolder({ dataFolder: folder, deps: { log } })
  await core.deliver(await core.hook('/h/one', 'a secret'))
  log.warn('something')
  await expect.poll(() => readdirSync(folder)).toContain('search.db')
  const written = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
    relative(folder, join(entry.parentPath, entry.name)),
  )
  await core.stop()
  expect(written).toEqual(
    expect.arrayContaining(['countersign.db-wal', 'instance.json', 'tls/ca.key', 'vault.key']),
  )
  expect(problem()).toBe(null)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    expect(problemWith(name, (path) => symlinkSync(other, path))).toBe(refusal(name))
    expect(problemWith(name, (path) => symlinkSync(join(other, 'missing'), path))).toBe(
      refusal(name),
    )
    if (process.platform !== 'win32')
      expect(problemWith(name, (path) => execFileSync('mkfifo', [path]))).toBe(refusal(name))
  }
  // Files that exist only while Countersign runs.
  for (const name of written) {
    if (readdirSync(folder, { recursive: true, encoding: 'utf8' }).includes(name)) continue
    const path = join(folder, name)
    symlinkSync(other, path)
    expect(problem()).toBe(refusal(name))
    renameSync(path, join(temporaryFolder(), 'planted'))
  }
  for (const name of ['countersign.db', 'search.db', 'instance.lock', 'logs/countersign.log'])
    expect(problemWith(name, (path) => linkSync(other, path))).toBe(refusal(name))
})

test('the folder itself may be a link, and files of the user beside ours may be anything', () => {
  symlinkSync(other, join(folder, 'notes'))
  const link = join(temporaryFolder(), 'link')
  symlinkSync(folder, link)
  expect(problem(link)).toBe(null)
  expect(problem(join(folder, 'missing', 'deep'))).toBe(null)
})

test.each([
  ['data', "Couldn't find your home folder. Set HOME, or choose"],
  ['/caf\ufffd', "The path /caf\ufffd isn't valid UTF-8. Choose"],
  [`/${'x/'.repeat(240)}`, 'The path of the data folder has more than 470 bytes. Choose'],
])('the path %s is refused before anything is created', (path, sentence) => {
  expect(problem(path)).toBe(`${sentence} another data folder with --data or COUNTERSIGN_DATA.`)
})
