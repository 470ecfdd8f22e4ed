/** A backup or restore killed at any step leaves the old or the new file, never a mix. */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { databaseFileOf } from '../../src/core/store/database.ts'
import { restoreDatabase } from '../../src/core/store/restore.ts'
import { folderWith, idsIn, unfinishedIn } from '../support/database-files.ts'
import { storeInFolder } from '../support/in-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const script = fileURLToPath(new URL('../support/killed-copy.ts', import.meta.url))
const start = (...args: string[]) =>
  spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })

test('a restore leaves the old or the restored database, whichever step it was killed before', async () => {
  const restored = folderWith(5, 'restored')
  // Copied while it is open, with its log.
  const replaced = temporaryFolder()
  folderWith(3, 'replaced', ({ name }) => cpSync(dirname(name), replaced, { recursive: true }))
  expect(statSync(`${databaseFileOf(replaced)}-wal`).size).toBeGreaterThan(0)
  const copyOfReplaced = () => {
    const folder = temporaryFolder()
    cpSync(replaced, folder, { recursive: true })
    return folder
  }
  const { stdout, stderr } = start('restore', copyOfReplaced(), restored.file)
  const steps = Number(stdout)
  expect(steps, stderr).toBeGreaterThanOrEqual(10)
  const results = new Set<string>()
  for (let killedAt = 1; killedAt <= steps; killedAt++) {
    const folder = copyOfReplaced()
    const { signal } = start('restore', folder, restored.file, String(killedAt))
    expect(signal, `step ${killedAt}`).toBe('SIGKILL')
    const store = await storeInFolder(folder)
    const contents = await store.read('rowsBySeq', [1, 2, 3, 4, 5])
    const words = await Promise.all(
      contents.map(async ({ seq }) => {
        const { bytes } = await store.read('body', { seq, offset: 0, length: 12 })
        return Buffer.from(bytes).toString().split('"')[1] ?? ''
      }),
    )
    await store.close()
    const result = words.join(' ')
    results.add(result)
    expect(idsIn(databaseFileOf(folder)), `step ${killedAt}: ${result}`).toHaveLength(
      result.startsWith('restored') ? 5 : 3,
    )
    await restoreDatabase(folder, restored.file, {
      signal: new AbortController().signal,
      onProgress: () => undefined,
      onChecking: () => undefined,
    })
    expect(idsIn(databaseFileOf(folder))).toHaveLength(5)
    expect(readdirSync(folder).some((name) => name.includes('before-restore'))).toBe(true)
    expect(unfinishedIn(folder)).toEqual([])
  }
  expect([...results].toSorted()).toEqual([
    Array(3).fill('replaced').join(' '),
    Array(5).fill('restored').join(' '),
  ])
})

test('a backup leaves the earlier file or a whole new one', () => {
  const { folder } = folderWith(4, 'backed-up')
  const target = join(temporaryFolder(), 'backup.db')
  const steps = Number(start('backup', folder, target).stdout)
  expect(steps).toBeGreaterThanOrEqual(5)
  for (let killedAt = 1; killedAt <= steps; killedAt++) {
    writeFileSync(target, 'earlier')
    expect(start('backup', folder, target, String(killedAt)).signal).toBe('SIGKILL')
    if (readFileSync(target, 'latin1') !== 'earlier') expect(idsIn(target)).toHaveLength(4)
    else expect(killedAt).toBeLessThan(steps)
  }
})
