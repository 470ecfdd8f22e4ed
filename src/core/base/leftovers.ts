/** Files and folders for a while, whose names tell later processes whether their owner has ended. */
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from './processes.ts'

const NAME = /^countersign-temp-(\d+)-(\d+)(?:-\w{6})?$/

let count = 0

/** Returns a path in the folder for what this process renames or removes again. */
export function passingPath(folder: string): string {
  return join(folder, `countersign-temp-${process.pid}-${++count}`)
}

function hasOwner(pid: number, number: number): boolean {
  // An earlier process may have had the same ID: in a container, each start does.
  return pid === process.pid ? number <= count : isAlive(pid)
}

/**
 * Removes what ended processes of this user left in a folder, unless `isUsed`: the process of a
 * container may look ended from outside.
 */
export function removeLeftovers(
  folder: string,
  isUsed: (path: string) => boolean = () => false,
): void {
  for (const name of namesIn(folder)) {
    const [, pid, number] = NAME.exec(name) ?? []
    if (pid === undefined || hasOwner(Number(pid), Number(number))) continue
    const path = join(folder, name)
    try {
      if (lstatSync(path).uid === (process.getuid?.() ?? 0) && !isUsed(path))
        rmSync(path, { recursive: true, force: true })
    } catch {
      // It stays: another process has just removed it, or this one can't.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
