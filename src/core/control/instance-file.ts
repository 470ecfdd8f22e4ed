/**
 * `instance.json`: who serves a data folder, and how a second process reaches it. It appears whole, exclusively and with mode
 * 0600; removed on a clean stop; one left behind by a crash is recognised and replaced, by one starter at a time. What it says
 * is only how to reach the other one: that two instances cannot both take the folder is the folder's own lock.
 */
import { mkdir, readFile, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { FOLDER_WAIT_MS, folderInUse, lockFolder } from '../store/folder-lock.ts'
import { createWholeFile, removeFile, replaceWholeFile } from '../base/whole-file.ts'

const instanceSchema = z.object({
  pid: z.number().int(),
  version: z.string(),
  host: z.enum(['electron', 'loopback', 'command']),
  startedAt: z.string(),
  /** Null while the instance starts. */
  control: z.object({ url: z.string(), token: z.string() }).nullable(),
  receiver: z.string().nullable(),
  sandbox: z.string().nullable(),
  ca: z.string(),
  data: z.string(),
})
export type Instance = z.infer<typeof instanceSchema>

/** An instance that has not finished starting after this long has died on the way. */
const STARTING_MS = 30_000
const LOOK_AGAIN_MS = 10
/** One that is ending has this long to let go of the folder. */
const ENDING_MS = 3_000
const ATTEMPTS = 500
/** Clearing away takes a moment: a lock that stood through so many attempts was left behind by a crash in that moment. */
const ATTEMPTS_BEFORE_UNLOCKING = 200

function fileOf(dataFolder: string): string {
  return join(dataFolder, 'instance.json')
}

function parse(text: string): Instance | null {
  try {
    return instanceSchema.parse(JSON.parse(text))
  } catch {
    // Half written or of another version: nobody that this program could reach.
    return null
  }
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    // Missing, or not to be read by this user: nobody that this program could reach.
    return null
  }
}

function lockOf(file: string): string {
  return `${file}.clearing`
}

/** The same for every way to spell the path; null where this process cannot see it, as that of a folder inside a container. */
async function identityOf(folder: string): Promise<string | null> {
  const found = await stat(folder, { bigint: true }).catch(() => null)
  return found === null ? null : `${found.dev}:${found.ino}`
}

/** Whether the file lies in a copy of the folder that the instance serves, and came along with it. */
async function isCopied({ data }: Instance, dataFolder: string): Promise<boolean> {
  const [served, present] = await Promise.all([identityOf(data), identityOf(dataFolder)])
  return served !== null && served !== present
}

/** Reads who serves the folder; null where nobody does, or the file cannot be understood. */
export async function readInstance(dataFolder: string): Promise<Instance | null> {
  const instance = parse((await readText(fileOf(dataFolder))) ?? '')
  return instance === null || (await isCopied(instance, dataFolder)) ? null : instance
}

/** Whether a process with this id is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether the process that the file names has yet to finish its start; `now` in milliseconds. */
export function isStarting(instance: Instance, now: number): boolean {
  return instance.control === null && isAlive(instance.pid) && Date.parse(instance.startedAt) > now - STARTING_MS
}

function textOf(instance: Instance): string {
  return JSON.stringify(instance, null, 2)
}

/** Removes a file that was found stale, if it still is the one found; one starter at a time, so that none removes the next one's. */
async function clear(file: string, stale: string): Promise<void> {
  const lock = lockOf(file)
  try {
    await mkdir(lock)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // Another starter is at it; the next attempt sees what came of that.
    return
  }
  try {
    if ((await readText(file)) === stale) await removeFile(file)
  } finally {
    await rmdir(lock)
  }
}

function alreadyRunning(dataFolder: string, holder: Instance | null): AppError {
  return new AppError(
    'ALREADY_RUNNING',
    `${dataFolder} is already in use by ${holder === null ? 'another process' : `process ${holder.pid} (${holder.host})`}. Open it with "countersign open", stop that process, or choose another folder with --data.`,
    { details: { pid: holder?.pid ?? null } },
  )
}

export interface HeldInstance {
  /** Replaces what the file says, in one step. */
  publish(instance: Instance): Promise<void>
  release(): Promise<void>
}

/**
 * Takes the folder for this process. Rejects with `ALREADY_RUNNING` where another one holds it; `answers` tells whether a
 * process that the file names really is an instance (its id may have been given to another program since).
 */
export async function holdInstance(
  dataFolder: string,
  starting: Instance,
  answers: (instance: Instance) => Promise<boolean>,
  endingMs = ENDING_MS,
): Promise<HeldInstance> {
  const unlock = await lockInTime(dataFolder, Date.parse(starting.startedAt), answers, endingMs)
  try {
    return await putFile(dataFolder, starting, answers, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

/** Takes the folder's lock. One that nobody answers for may be of an instance that is ending: it gets the time to, and so does a command. */
async function lockInTime(
  dataFolder: string,
  now: number,
  answers: (instance: Instance) => Promise<boolean>,
  endingMs: number,
): Promise<() => void> {
  for (let waited = 0; ; waited += LOOK_AGAIN_MS) {
    const unlock = lockFolder(dataFolder)
    if (unlock !== null) return unlock
    const holder = await readInstance(dataFolder)
    if (holder?.host === 'command') {
      if (waited >= FOLDER_WAIT_MS) throw folderInUse(dataFolder)
      await delay(LOOK_AGAIN_MS)
      continue
    }
    const isThere = holder !== null && (isStarting(holder, now) || (await answers(holder)))
    if (isThere || waited >= endingMs) throw alreadyRunning(dataFolder, holder)
    await delay(LOOK_AGAIN_MS)
  }
}

async function putFile(
  dataFolder: string,
  starting: Instance,
  answers: (instance: Instance) => Promise<boolean>,
  unlock: () => void,
): Promise<HeldInstance> {
  const file = fileOf(dataFolder)
  for (let attempt = 0; !(await createWholeFile(file, textOf(starting))); attempt++) {
    const text = await readText(file)
    const holder = parse(text ?? '')
    const isTaken =
      holder !== null &&
      !(await isCopied(holder, dataFolder)) &&
      (isStarting(holder, Date.parse(starting.startedAt)) || (isAlive(holder.pid) && (await answers(holder))))
    if (isTaken || attempt === ATTEMPTS) throw alreadyRunning(dataFolder, holder)
    if (text !== null) await clear(file, text)
    if (attempt > 0) await delay(LOOK_AGAIN_MS)
    if (attempt === ATTEMPTS_BEFORE_UNLOCKING) {
      await rmdir(lockOf(file)).catch(() => {
        // There was none: what keeps the file there is something else.
      })
    }
  }
  return {
    async publish(instance) {
      await replaceWholeFile(file, textOf(instance))
    },
    async release() {
      const present = await readInstance(dataFolder)
      if (present?.pid === starting.pid && present.startedAt === starting.startedAt) await removeFile(file)
      unlock()
    },
  }
}
