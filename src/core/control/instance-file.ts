/**
 * `instance.json`: which process serves a data folder, and how to reach it. A crash leaves it
 * behind, so only the folder's lock counts.
 */
import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { isAlive } from '../base/processes.ts'
import { systemClock } from '../base/system-clock.ts'
import { folderInUse } from '../store/sqlite-errors.ts'
import { FOLDER_WAIT_MS, lockFolder } from '../store/folder-lock.ts'
import { removeFile, replaceWholeFile } from '../base/whole-files.ts'

const instanceSchema = z.object({
  pid: z.int().positive(),
  version: z.string(),
  host: z.enum(['electron', 'loopback', 'command']),
  startedAt: z.string(),
  /** Address, on loopback because the file may be a copy; null while starting. */
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

/** Milliseconds after which a starting process counts as crashed. */
const STARTING_MS = 30_000
const RETRY_MS = 10
/** Milliseconds that an ending process may hold the folder. */
const ENDING_MS = 3_000

function instanceFileOf(dataFolder: string): string {
  return join(dataFolder, 'instance.json')
}

function parse(text: string): Instance | null {
  try {
    return instanceSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

const MAX_BYTES = 65_536

/** Reads a file; null for links, pipes and other users' files. */
async function readText(file: string): Promise<string | null> {
  try {
    const { O_NOFOLLOW, O_NONBLOCK } = constants
    await using handle = await open(file, O_NOFOLLOW | O_NONBLOCK)
    const stats = await handle.stat()
    const isOwn = stats.isFile() && stats.uid === (process.getuid?.() ?? stats.uid)
    return isOwn && stats.size <= MAX_BYTES ? await handle.readFile('utf8') : null
  } catch {
    return null
  }
}

/** Returns an identity that all spellings of the path share; null if it can't be read. */
async function identityOf(folder: string): Promise<string | null> {
  const stats = await stat(folder, { bigint: true }).catch(() => null)
  return stats === null ? null : `${stats.dev}:${stats.ino}`
}

/** Whether the file was copied along with a served folder. */
async function isCopied({ data }: Instance, dataFolder: string): Promise<boolean> {
  const [served, present] = await Promise.all([identityOf(data), identityOf(dataFolder)])
  return served !== null && served !== present
}

/** Reads the process that serves the folder; null if there is none. */
export async function readInstance(dataFolder: string): Promise<Instance | null> {
  const instance = parse((await readText(instanceFileOf(dataFolder))) ?? '')
  return instance === null || (await isCopied(instance, dataFolder)) ? null : instance
}

/**
 * Whether the process is still starting.
 * @param now - in milliseconds
 */
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
 * Reserves the folder. Rejects with `ALREADY_RUNNING` if another process has it.
 * @param isCountersign - whether the process is Countersign: its ID may be reused
 */
export async function reserveInstance(
  dataFolder: string,
  starting: Instance,
  isCountersign: (instance: Instance) => Promise<boolean>,
  endingMs = ENDING_MS,
) {
  const now = Date.parse(starting.startedAt)
  const unlock = await lockInTime(dataFolder, now, isCountersign, endingMs)
  const publish = (instance: Instance) =>
    replaceWholeFile(instanceFileOf(dataFolder), JSON.stringify(instance, null, 2))
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
        await removeFile(instanceFileOf(dataFolder))
      unlock()
    },
  }
}

/** Takes the folder's lock; waits for an owner that may be ending. */
async function lockInTime(
  dataFolder: string,
  now: number,
  isCountersign: (instance: Instance) => Promise<boolean>,
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
    const isServed = holder !== null && (isStarting(holder, now) || (await isCountersign(holder)))
    if (isServed || waited >= endingMs) throw alreadyRunning(dataFolder, holder)
    await delay(RETRY_MS)
  }
}
