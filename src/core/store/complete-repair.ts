import { existsSync, renameSync, statSync } from 'node:fs'

/** Returns the name of a complete new file that hasn't replaced the damaged database yet. */
export function finishedFileOf(file: string): string {
  return `${file}.repaired`
}

/** Replaces the database by a finished file; returns the damaged file's new name. */
export function completeRepair(file: string): string | null {
  const finished = finishedFileOf(file)
  if (!existsSync(finished)) return null
  const at = statSync(finished)
    .mtime.toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')
  let setAside = `${file}.damaged-${at}`
  for (let number = 2; existsSync(file) && existsSync(setAside); number++)
    setAside = `${file}.damaged-${at}-${number}`
  // The log goes first, or it would be read into the new file.
  for (const end of ['-wal', '-shm', ''])
    if (existsSync(file + end)) renameSync(file + end, setAside + end)
  renameSync(finished, file)
  return setAside
}
