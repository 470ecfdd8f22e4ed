/** Temporary files and folders, named so that later processes know whether their owner has ended. */
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from './processes.ts'

let count = 0

/** Returns a path in the folder for what this process will rename or remove. */
export function temporaryPath(folder: string): string {
  return join(folder, `countersign-temp-${process.pid}-${++count}`)
}

function isLeft(name: string): boolean {
  const [, pid, number] = /^countersign-temp-(\d+)-(\d+)(?:-\w{6})?$/.exec(name) ?? []
  if (pid === undefined) return false
  // In a container, each start may get the same ID.
  return Number(pid) === process.pid ? Number(number) > count : !isAlive(Number(pid))
}

/** Removes what ended processes of this user left, except what a process in another container uses. */
export function removeLeftovers(folder: string, isUsed = (_path: string) => false): void {
  const user = process.getuid?.() ?? 0
  try {
    for (const name of readdirSync(folder).filter(isLeft)) {
      const path = join(folder, name)
      if (lstatSync(path).uid === user && !isUsed(path)) rmSync(path, { recursive: true })
    }
  } catch {
    // Another process removes them at the same time, or the next start does.
  }
}
