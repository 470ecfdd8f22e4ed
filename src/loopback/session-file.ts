/**
 * Keeps browsers signed in over a restart, in the user's own folder: a data folder from elsewhere
 * must not bring sessions. The file is named by the data folder's path and CA certificate, so
 * another folder at the same path isn't signed in.
 */
import { readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { createMutex } from '../core/base/async.ts'
import { digestOf } from '../core/base/proof.ts'
import { removeFile, replaceWholeFile } from '../core/base/whole-files.ts'
import type { BrowserSession, SessionStore } from './sessions.ts'

/** Number of files above which all are removed, and browsers sign in again. */
const MOST_FILES = 200

const sessionsSchema = z.array(z.object({ id: z.string(), key: z.string() }))

async function read(file: string): Promise<readonly BrowserSession[]> {
  try {
    return sessionsSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    // Missing, or of another version.
    return []
  }
}

/** Opens the sessions of a data folder in `folder`, which only this user can write to. */
export async function openSessionFile(
  folder: string,
  dataFolder: string,
  caFile: string,
): Promise<SessionStore> {
  const names = await readdir(folder)
  if (names.length > MOST_FILES) for (const name of names) await removeFile(join(folder, name))
  const identity = `${await realpath(dataFolder)}\n${await readFile(caFile, 'utf8')}`
  const file = join(folder, digestOf(identity).toString('hex'))
  const runInOrder = createMutex()
  const write = (text: string) => runInOrder(() => replaceWholeFile(file, text))
  let saving: Promise<unknown> = Promise.resolve()
  return {
    kept: await read(file),
    save(sessions) {
      // If the disk is full, sessions end with this process.
      saving = write(JSON.stringify(sessions)).catch(() => null)
    },
    async close() {
      await saving
    },
  }
}
