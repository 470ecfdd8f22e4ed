/** Temporary files and folders, named by their owner's process ID. */
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from './processes.ts'

let count = 0

export function temporaryPath(folder: string): string {
  return join(folder, `countersign-temp-${process.pid}-${++count}`)
}

function isLeftover(name: string): boolean {
  const [, pid, number] = /^countersign-temp-(\d+)-(\d+)(?:-\w{6})?$/.exec(name) ?? []
  if (pid === undefined) return false
  // In a container, each start may get the same ID.
  return Number(pid) === process.pid ? Number(number) > count : !isAlive(Number(pid))
}

/** Removes temporary files of this user's ended processes, except used ones. */
export function removeLeftovers(folder: string, isUsed = (_path: string) => false): void {
  const user = process.getuid?.() ?? 0
  try {
    for (const name of readdirSync(folder).filter(isLeftover)) {
      const path = join(folder, name)
      if (lstatSync(path).uid === user && !isUsed(path)) rmSync(path, { recursive: true })
    }
  } catch {}
}
