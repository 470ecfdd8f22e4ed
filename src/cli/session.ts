/** Connects a command to the core: the running Countersign, or else a core in this process. Both speak the same contract. */
import type { CoreOptions } from '../core/app/core.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { Client } from '../shared/rpc/client.ts'
import { dataFolderOf, emptinessOf, type CommandContext, type DataOption } from './context.ts'

/** A core for a command that only uses the store: starting threads would take longer than its work. */
const BRIEF: CoreOptions = { serve: null, withoutThreads: true }
/** A core for a command that sends requests: storing one must not delay the next, nor the response whose time is measured. */
export const SENDING: CoreOptions = { serve: null }

export const NOTHING_CAPTURED = 'No deliveries yet'

/** The message for a data folder that was never used: `missing` begins the sentence. */
function noDataYet(missing: string, dataFolder: string): string {
  return `${missing}: ${emptinessOf(dataFolder)}. Run "countersign serve" first, or check --data.`
}

export interface Session {
  readonly client: Client
  /** False if the core runs in this process. */
  readonly running: boolean
  /** Resolves when Countersign stops; never for a core in this process. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

async function connectRunning(dataFolder: string): Promise<Session | null> {
  // Loaded on demand: commands that need no core start in half the time without it.
  const { connectToInstance } = await import('../core/control/connect.ts')
  const connection = await connectToInstance(dataFolder)
  if (connection === null) return null
  const { client, closed } = connection
  return {
    client,
    running: true,
    closed,
    async close() {
      connection.close()
      await closed
    },
  }
}

async function openOwn(
  context: CommandContext,
  dataFolder: string,
  options: CoreOptions,
): Promise<Session> {
  const [{ createCore }, { createNodeDeps }, { createClient }, { createMemoryPair }] =
    await Promise.all([
      import('../core/app/create-core.ts'),
      import('../loopback/node-deps.ts'),
      import('../shared/rpc/client.ts'),
      import('../shared/rpc/transport.ts'),
    ])
  const deps = createNodeDeps({
    version: context.version,
    host: 'command',
    dataFolder,
    workers: context.build,
  })
  const core = await createCore(deps, options)
  const [near, far] = createMemoryPair()
  const disconnect = core.connect(far)
  return {
    client: createClient(near),
    running: false,
    closed: new Promise(() => undefined),
    async close() {
      disconnect()
      await core.close()
    },
  }
}

async function runWith<T>(session: Session, task: (session: Session) => Promise<T>): Promise<T> {
  try {
    return await task(session)
  } finally {
    await session.close()
  }
}

/** Runs the task with the core; creates the data folder if needed. `own` are the options of a core in this process. */
export async function withCore<T>(
  context: CommandContext,
  options: DataOption,
  task: (session: Session) => Promise<T>,
  own = BRIEF,
): Promise<T> {
  const dataFolder = dataFolderOf(context, options)
  return runWith(
    (await connectRunning(dataFolder)) ?? (await openOwn(context, dataFolder, own)),
    task,
  )
}

/** The same with a receiver. Without Countersign running, this process listens on free ports meanwhile. */
export function withReceiver<T>(
  context: CommandContext,
  options: DataOption,
  task: (session: Session) => Promise<T>,
): Promise<T> {
  const serve = { host: '127.0.0.1', receiverPort: 0, withoutSandbox: true } as const
  return withCore(context, options, task, { serve })
}

/** The same for reading: if the folder has no database, nothing is created, and `without` gets the folder. */
async function withData<T, None>(
  context: CommandContext,
  options: DataOption,
  task: (session: Session) => Promise<T>,
  own: CoreOptions,
  without: (dataFolder: string) => None,
): Promise<T | None> {
  const dataFolder = dataFolderOf(context, options)
  const running = await connectRunning(dataFolder)
  if (running !== null) return runWith(running, task)
  const { hasDatabase } = await import('../core/store/open.ts')
  return hasDatabase(dataFolder)
    ? runWith(await openOwn(context, dataFolder, own), task)
    : without(dataFolder)
}

/** The same for reading. Null if the folder has no database; a note says so, unless `missing`, which begins it, is null. */
export function withExistingData<T>(
  context: CommandContext,
  options: DataOption,
  missing: string | null,
  task: (session: Session) => Promise<T>,
  own = BRIEF,
): Promise<T | null> {
  return withData(context, options, task, own, (dataFolder) => {
    if (missing !== null) context.output.note(noDataYet(missing, dataFolder))
    return null
  })
}

/**
 * The same for reading data that must exist. Rejects with `NOT_FOUND` if the folder has no database; `missing` begins the sentence.
 */
export function withKeptData<T>(
  context: CommandContext,
  options: DataOption,
  missing: string,
  task: (session: Session) => Promise<T>,
  own = BRIEF,
): Promise<T> {
  return withData(context, options, task, own, (dataFolder) => {
    throw new AppError('NOT_FOUND', noDataYet(missing, dataFolder))
  })
}

/** Runs the task with the running Countersign. Rejects with `NOT_RUNNING` otherwise; `what` begins the sentence. */
export async function withInstance<T>(
  context: CommandContext,
  options: DataOption,
  what: string,
  task: (session: Session) => Promise<T>,
): Promise<T> {
  const dataFolder = dataFolderOf(context, options)
  const running = await connectRunning(dataFolder)
  if (running === null) {
    throw new AppError(
      'NOT_RUNNING',
      `${what} needs Countersign running on ${dataFolder}. Run "countersign serve" with the same --data, then try again.`,
    )
  }
  return runWith(running, task)
}
