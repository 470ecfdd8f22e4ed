/**
 * Puts the new file of a repair in the place of the damaged one, which keeps everything under another name. Nothing is overwritten, and
 * a crash half-way is made up for at the next start: a note beside the database says what is still to be renamed.
 */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { z } from 'zod'
import { replaceWholeFile } from '../../base/whole-file.ts'
import { newFileOf } from './recover.ts'

const noteSchema = z.object({ setAside: z.string() })
const ENDS = ['-wal', '-shm', '']

function noteOf(file: string): string {
  return `${file}.swap`
}

/** An unused name for the damaged file: with the time, and a number if that name is taken. */
function freeName(file: string, now: number): string {
  const at = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  for (let number = 1; ; number++) {
    const name = `${file}.damaged-${at}${number === 1 ? '' : `-${number}`}`
    if (ENDS.every((end) => !existsSync(name + end))) return name
  }
}

function move(from: string, to: string): void {
  if (!existsSync(from) || existsSync(to)) return
  renameSync(from, to)
}

/** Completes a swap that a crash interrupted, if there is one. */
export function completeSwap(file: string): void {
  if (!existsSync(noteOf(file))) return
  const { setAside } = noteSchema.parse(JSON.parse(readFileSync(noteOf(file), 'utf8')))
  if (existsSync(newFileOf(file))) {
    // The log goes first: left behind, it would be read into the new file.
    for (const end of ENDS) move(file + end, setAside + end)
    move(newFileOf(file), file)
  }
  rmSync(noteOf(file), { force: true })
}

/** Renames the damaged file and puts the new one in its place; returns the damaged file's new name. */
export async function swapIn(file: string, now: number): Promise<string> {
  const setAside = freeName(file, now)
  await replaceWholeFile(noteOf(file), JSON.stringify({ setAside }))
  completeSwap(file)
  return setAside
}
