/**
 * Process that backs up or restores, and kills itself before its nth change of the disk or step of
 * the copy. Without such a number, prints how many there are.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const [work, folder = '', file = '', killedAt] = process.argv.slice(2)
let steps = 0

function step(): void {
  steps++
  if (String(steps) === killedAt) process.kill(process.pid, 'SIGKILL')
}

const { mkdirSync, renameSync, rmSync, fsyncSync } = fs
Object.assign(fs, {
  mkdirSync: (...args: Parameters<typeof mkdirSync>) => {
    step()
    return mkdirSync(...args)
  },
  renameSync: (...args: Parameters<typeof renameSync>) => {
    step()
    renameSync(...args)
  },
  rmSync: (...args: Parameters<typeof rmSync>) => {
    step()
    rmSync(...args)
  },
  fsyncSync: (...args: Parameters<typeof fsyncSync>) => {
    step()
    fsyncSync(...args)
  },
})
syncBuiltinESMExports()

const { backupDatabase } = await import('../../src/core/store/backup.ts')
const { restoreDatabase } = await import('../../src/core/store/restore.ts')
const watch = { signal: new AbortController().signal, onProgress: step, onChecking: step }
await (work === 'backup' ? backupDatabase : restoreDatabase)(folder, file, watch)
step()
console.log(steps)
