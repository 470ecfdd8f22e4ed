/**
 * `instance.json`: which process serves a data folder, and how to reach it. Written atomically with mode 0600 and removed on a
 * clean stop. A file left by a crash is detected and replaced. The folder's own lock guarantees that only one process has the folder.
 */
import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { FOLDER_WAIT_MS, folderInUse, lockFolder } from '../store/open.ts'
import { isAlive } from '../base/processes.ts'
import { systemClock } from '../base/system-clock.ts'
import { removeFile, replaceWholeFile } from '../base/data-folder.ts'

const instanceSchema = z.object({
  pid: z.int().positive(),
  version: z.string(),
  host: z.enum(['electron', 'loopback', 'command']),
  startedAt: z.string(),
  /** Null while the process starts. A file that came with the folder could name another computer, so only loopback is valid. */
  control: z
    .object({
      url: z
        .string()
        .regex(/^ws:\/\/127\.0\.0\.1:\d+$/)
        .refine(URL.canParse),
      token: z.string(),
    })
    .nullable(),
  receiver: z.string().nullable(),
  sandbox: z.string().nullable(),
  ca: z.string(),
  data: z.string(),
})
export type Instance = z.infer<typeof instanceSchema>

/** A process that hasn't finished starting after this long has crashed. */
const STARTING_MS = 30_000
const RETRY_MS = 10
/** How long an ending process may hold the folder. */
const ENDING_MS = 3_000

function fileOf(dataFolder: string): string {
  return join(dataFolder, 'instance.json')
}

function parse(text: string): Instance | null {
  try {
    return instanceSchema.parse(JSON.parse(text))
  } catch {
    // Incomplete or of another version, so this program can't connect to it.
    return null
  }
}

/** Bytes of the largest file that is read. */
const MAX_BYTES = 65_536

/** Reads a small file of this user. Links, pipes and other users' files didn't come from Countersign. */
async function readText(file: string): Promise<string | null> {
  try {
    const { O_NOFOLLOW, O_NONBLOCK } = constants
    await using handle = await open(file, O_NOFOLLOW | O_NONBLOCK)
    const stats = await handle.stat()
    const isOwn = stats.isFile() && stats.uid === (process.getuid?.() ?? stats.uid)
    return isOwn && stats.size <= MAX_BYTES ? await handle.readFile('utf8') : null
  } catch {
    // Missing or not readable by this user, so this program can't connect to it.
    return null
  }
}

/** The same for every spelling of the path; null if this process can't see it, such as a path inside a container. */
async function identityOf(folder: string): Promise<string | null> {
  const found = await stat(folder, { bigint: true }).catch(() => null)
  return found === null ? null : `${found.dev}:${found.ino}`
}

/** Whether the file was copied along with a served folder. */
async function isCopied({ data }: Instance, dataFolder: string): Promise<boolean> {
  const [served, present] = await Promise.all([identityOf(data), identityOf(dataFolder)])
  return served !== null && served !== present
}

/** Reads which process serves the folder; null if none does or the file can't be parsed. */
export async function readInstance(dataFolder: string): Promise<Instance | null> {
  const instance = parse((await readText(fileOf(dataFolder))) ?? '')
  return instance === null || (await isCopied(instance, dataFolder)) ? null : instance
}

/** Whether the process named by the file is still starting. `now` in milliseconds. */
export function isStarting(instance: Instance, now: number): boolean {
  return (
    instance.control === null &&
    isAlive(instance.pid) &&
    Math.abs(Date.parse(instance.startedAt) - now) < STARTING_MS
  )
}

function alreadyRunning(dataFolder: string, holder: Instance | null): AppError {
  return new AppError(
    'ALREADY_RUNNING',
    `${dataFolder} is already in use by ${holder === null ? 'another process' : `process ${holder.pid} (${holder.host})`}. Open it with "countersign open", stop that process, or choose another folder with --data.`,
    { details: { pid: holder?.pid ?? null } },
  )
}

/**
 * Reserves the folder for this process. Rejects with `ALREADY_RUNNING` if another process has it. `answers` tells whether a process
 * named by the file really is Countersign, because its ID may have been reused.
 */
export async function holdInstance(
  dataFolder: string,
  starting: Instance,
  answers: (instance: Instance) => Promise<boolean>,
  endingMs = ENDING_MS,
) {
  const now = Date.parse(starting.startedAt)
  const unlock = await lockInTime(dataFolder, now, answers, endingMs)
  /** Replaces the file atomically. */
  const publish = (instance: Instance) =>
    replaceWholeFile(fileOf(dataFolder), JSON.stringify(instance, null, 2))
  try {
    await publish(starting)
  } catch (error) {
    unlock()
    throw error
  }
  return {
    publish,
    async release() {
      const present = await readInstance(dataFolder)
      if (present?.pid === starting.pid && present.startedAt === starting.startedAt)
        await removeFile(fileOf(dataFolder))
      unlock()
    },
  }
}

/** Takes the folder's lock. If no process answers for the lock, its owner may be ending, and is given time to. */
async function lockInTime(
  dataFolder: string,
  now: number,
  answers: (instance: Instance) => Promise<boolean>,
  endingMs: number,
): Promise<() => void> {
  const start = systemClock.monotonic()
  for (;;) {
    const unlock = lockFolder(dataFolder)
    if (unlock !== null) return unlock
    const waited = systemClock.monotonic() - start
    const holder = await readInstance(dataFolder)
    if (holder?.host === 'command') {
      if (waited >= FOLDER_WAIT_MS) throw folderInUse(dataFolder)
      await delay(RETRY_MS)
      continue
    }
    const isThere = holder !== null && (isStarting(holder, now) || (await answers(holder)))
    if (isThere || waited >= endingMs) throw alreadyRunning(dataFolder, holder)
    await delay(RETRY_MS)
  }
}
