/**
 * Keeps browsers signed in while Countersign restarts. The file is in a folder of the user's own, because a data folder from
 * elsewhere must not bring sessions. Its name is a digest of the data folder's path and CA certificate, so that another folder at
 * the same path has none.
 */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { createMutex } from '../core/base/async.ts'
import { removeFile, replaceWholeFile } from '../core/base/data-folder.ts'
import { digestOf } from '../core/base/proof.ts'
import type { Session, SessionStore } from './sessions.ts'

const sessionsSchema = z.array(z.object({ id: z.string(), key: z.string(), usedAt: z.number() }))

/** Data folders whose sessions are kept. */
const MOST_FILES = 50

/** Removes the files that were written longest ago. */
async function removeOldest(folder: string): Promise<void> {
  const files = (await readdir(folder)).map((name) => join(folder, name))
  const dated = await Promise.all(
    files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })),
  )
  const oldest = dated.toSorted((one, other) => other.at - one.at).slice(MOST_FILES)
  for (const { file } of oldest) await removeFile(file)
}

async function readSessions(file: string): Promise<readonly Session[]> {
  try {
    return sessionsSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    // Missing, or of another version: browsers sign in again.
    return []
  }
}

/** Opens the sessions of a data folder in `folder`, which only this user can write to. */
export async function openSessionFile(
  folder: string,
  dataFolder: string,
  caFile: string,
): Promise<SessionStore> {
  await removeOldest(folder).catch(() => null)
  const place = `${await realpath(dataFolder)}\n${await readFile(caFile, 'utf8')}`
  const file = join(folder, `${digestOf(place).toString('hex')}.json`)
  const inOrder = createMutex()
  let saved: Promise<unknown> = Promise.resolve()
  return {
    kept: await readSessions(file),
    save(sessions) {
      // Without it, for example on a full disk, sessions end with this process.
      saved = inOrder(() => replaceWholeFile(file, JSON.stringify(sessions))).catch(() => null)
    },
    async close() {
      await saved
    },
  }
}
