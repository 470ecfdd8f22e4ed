/**
 * `instance.json`: who serves a data folder, and how a second process reaches it. Created exclusively with mode 0600, so that
 * two instances cannot both take the folder; removed on a clean stop; one left behind by a crash is recognised and replaced.
 */
import { constants } from 'node:fs'
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'

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

function fileOf(dataFolder: string): string {
  return join(dataFolder, 'instance.json')
}

/** Reads who serves the folder; null where nobody does, or the file cannot be understood. */
export async function readInstance(dataFolder: string): Promise<Instance | null> {
  try {
    return instanceSchema.parse(JSON.parse(await readFile(fileOf(dataFolder), 'utf8')))
  } catch {
    // Missing, half written or of another version: nobody that this program could reach.
    return null
  }
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

async function create(file: string, instance: Instance): Promise<void> {
  const handle = await open(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600)
  try {
    await handle.writeFile(JSON.stringify(instance, null, 2))
  } finally {
    await handle.close()
  }
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
): Promise<HeldInstance> {
  const file = fileOf(dataFolder)
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  for (let attempt = 0; ; attempt++) {
    try {
      await create(file, starting)
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === 3) throw error
    }
    const holder = await readInstance(dataFolder)
    const isStarting =
      holder !== null && holder.control === null && Date.parse(holder.startedAt) > Date.parse(starting.startedAt) - STARTING_MS
    if (holder !== null && isAlive(holder.pid) && (isStarting || (await answers(holder)))) {
      throw new AppError(
        'ALREADY_RUNNING',
        `${dataFolder} is already served by process ${holder.pid} (${holder.host}). Open it with "countersign open", stop it, or choose another folder with --data.`,
        { details: { pid: holder.pid } },
      )
    }
    await unlink(file).catch(() => {
      // Another starter was quicker to clear it away; the next round decides.
    })
  }
  return {
    async publish(instance) {
      const temporary = `${file}.${instance.pid}`
      await unlink(temporary).catch(() => {
        // Usually there is none left over.
      })
      await create(temporary, instance)
      await rename(temporary, file)
    },
    async release() {
      await unlink(file).catch(() => {
        // Already gone, with the folder perhaps.
      })
    },
  }
}
