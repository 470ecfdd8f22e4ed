/** A small disk that a test can fill: memory that root can mount on Linux. */
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

export interface SmallDisk {
  readonly folder: string
  /** Fills the disk to the last byte, as another program could. */
  fillUp(): void
  free(): void
  unmount(): void
}

/** Mounts a small disk; returns null, with a message, if this user can't. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const reason =
    process.platform !== 'linux'
      ? `no disk in memory on ${process.platform}`
      : process.getuid?.() !== 0
        ? 'only root may mount one'
        : null
  const folder = temporaryFolder()
  const mounted =
    reason === null
      ? spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], {
          encoding: 'utf8',
        })
      : null
  if (mounted?.status !== 0) {
    console.log(`Skipped, no small disk can be mounted: ${reason ?? mounted?.stderr.trim()}`)
    return null
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fillUp() {
      // Block by block, because a core may free some meanwhile, and the last bytes too.
      const file = openSync(filler, 'a')
      const block = Buffer.alloc(statfsSync(folder).bsize, 1)
      const isFull = () => {
        try {
          return writeSync(file, block) < block.length
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return true
          throw error
        }
      }
      while (!isFull()) continue
      closeSync(file)
    },
    free() {
      rmSync(filler)
    },
    unmount() {
      spawnSync('umount', ['--lazy', folder])
    },
  }
}
