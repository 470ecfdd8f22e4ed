import { existsSync, lchownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { removeLeftovers, temporaryPath } from '../base/leftovers.ts'
import { privateFolder } from '../base/private-folder.ts'
import { openForWriting } from './open.ts'
import { makeTemporaryFolder, removeDeadFolders } from './temporary-folder.ts'
import { databaseFileOf } from './database.ts'

/** ID of no process: systems give lower ones. */
const ENDED = 4_194_305

test('files and folders of ended processes are removed, and nothing else', () => {
  const folder = temporaryFolder()
  const [own, next] = [temporaryPath(folder), temporaryPath(folder).replace(/\d+$/, '1000000')]
  const kept = [
    own,
    `countersign-temp-${process.ppid}-1`,
    `countersign-temp-${ENDED}`,
    `countersign-temp-${ENDED}-1.jsonl`,
    `countersign-temp-${ENDED}-1-in-use`,
    'countersign-2026-11-backup',
  ].map((name) => join(folder, name.replace(`${folder}/`, '')))
  kept.push(join(folder, `countersign-temp-${ENDED}-3-USED00`))
  const left = [`${ENDED}-1`, `${ENDED}-2`].map((name) => join(folder, `countersign-temp-${name}`))
  const treasure = join(folder, 'treasure')
  for (const path of [...kept, ...left, next, treasure]) writeFileSync(path, '')
  mkdirSync(`${left[0]}-AbCdEf`)
  writeFileSync(`${left[0]}-AbCdEf/countersign.db`, '')
  symlinkSync(folder, `${left[0]}-abcdef`)
  symlinkSync(treasure, join(folder, `countersign-temp-${ENDED}-4`))
  if (process.getuid?.() === 0) {
    kept.push(join(folder, `countersign-temp-${ENDED}-5`))
    writeFileSync(kept.at(-1)!, '')
    lchownSync(kept.at(-1)!, 4002, 4002)
  }
  removeLeftovers(folder, (path) => path.endsWith('USED00'))
  expect(
    readdirSync(folder)
      .map((name) => join(folder, name))
      .sort(),
  ).toEqual([...kept, treasure].sort())
})

test("a folder's owner may be in another container, so its open database counts too", () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('XDG_CACHE_HOME', temporaryFolder())
  const { folder: own, remove } = makeTemporaryFolder()
  const parent = privateFolder('tmp') ?? ''
  expect(readdirSync(parent)).toHaveLength(1)
  const other = join(parent, `countersign-temp-${ENDED}-1-AbCdEf`)
  mkdirSync(other)
  const database = openForWriting(databaseFileOf(other))
  removeDeadFolders()
  expect(existsSync(other)).toBe(true)
  database.close()
  removeDeadFolders()
  expect([existsSync(other), existsSync(own)]).toEqual([false, true])
  remove()
  expect(readdirSync(parent)).toEqual([])
})
