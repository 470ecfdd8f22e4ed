/** Replaces the closed database by a finished file, also after a crash in between. */
import { existsSync, renameSync, statSync } from 'node:fs'

/** Work that replaces the database, by the ending of its finished file. */
const replacements = { repaired: 'damaged', restored: 'before-restore' } as const

/** Returns the name of a complete new file that hasn't replaced the database yet. */
export function finishedFileOf(file: string, ending: keyof typeof replacements): string {
  return `${file}.${ending}`
}

/** Replaces the database by a finished file; returns the old one's new name, null without one. */
export function completeReplacement(file: string): string | null {
  let setAside: string | null = null
  for (const [ending, oldName] of Object.entries(replacements)) {
    const finished = `${file}.${ending}`
    if (existsSync(finished)) setAside = replaceBy(file, finished, oldName)
  }
  return setAside
}

function replaceBy(file: string, finished: string, oldName: string): string | null {
  const at = statSync(finished)
    .mtime.toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')
  const first = `${file}.${oldName}-${at}`
  let setAside = first
  for (let number = 2; existsSync(file) && existsSync(setAside); number++)
    setAside = `${first}-${number}`
  // The log goes first, or it would be read into the new file.
  for (const end of ['-wal', '-shm', ''])
    if (existsSync(file + end)) renameSync(file + end, setAside + end)
  renameSync(finished, file)
  return existsSync(setAside) ? setAside : null
}
