/**
 * The store of one data folder: one thread only writes, one reads, with group commit in front and describing behind. A failed write
 * is the store's state until one succeeds; each new delivery tries again.
 */
import { stat } from 'node:fs/promises'
import { AppError } from '../../shared/contract/errors.ts'
import type { StoreStatus } from '../../shared/model/status.ts'
import type { Log, WorkerEntries } from '../base/deps.ts'
import { createFollowUp } from './enrich.ts'
import { createGroupCommit, createIdleCheckpoint, createPace } from './group-commit.ts'
import {
  runJobsHere,
  startJobThread,
  type JobInput,
  type JobThread,
  type JobOutput,
} from '../base/threads/job-thread.ts'
import { READ_LIMIT_MS } from './statements.ts'
import {
  damagedDatabase,
  isCorrupt,
  WORKS_WITH_DAMAGE,
  WORKS_WITHOUT_DATABASE,
  databaseFileOf,
  type StoreOptions,
  folderInUse,
  isBusy,
  shareFolder,
  diskFull,
  isFull,
} from './open.ts'
import type { ReaderJobs } from './reader.ts'
import type { WriterJobs } from './writer.ts'
import type { RowProblems } from './damage.ts'
import { completeRepair } from './repair.ts'
import { MOST_CHECKED } from './search/payloads.ts'
import { searchFileOf } from './search/open-search.ts'
import { createSearch } from './search/search.ts'

export interface StoreDeps {
  readonly dataFolder: string
  readonly workers: Pick<WorkerEntries, 'writer' | 'reader' | 'search'>
  readonly log: Log
  readonly options?: StoreOptions
  /** This many are counted before the store is open. */
  readonly countedAtStart?: number
  /** Whether it is open for one command and receives no deliveries: with few of them, a search needs no index. */
  readonly isBrief?: boolean
  /** Whether it writes and reads in the calling thread. Loaded on demand, because every other store only uses it in its threads. */
  readonly withoutThreads?: boolean
  /** Environments that treat any 2xx as an acknowledgement. */
  lenientEnvironments(): readonly string[]
  /** Receives the seqs of deliveries that changed after they were stored. */
  onDescribed(seqs: readonly number[]): void
  onStatus(status: StoreStatus): void
}

export interface Damage extends RowProblems {
  /** The problem of unreadable pages; null if there is none. */
  readonly pages: string | null
}

const NO_DAMAGE: Damage = { pages: null, values: [], bodies: [] }

export type Store = Awaited<ReturnType<typeof openStore>>

/** How long a reader waits at most until just-stored deliveries are described. */
const SETTLE_PATIENCE_MS = 1_000

/** This many are counted before the store is open: it takes a few milliseconds. */
const COUNTED_AT_START = 20_000

async function fileSize(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch {
    // The log files exist only while connections are open.
    return 0
  }
}

function unavailable(error: unknown): AppError {
  if (error instanceof AppError) return error
  const reason = (error as Error).message
  return new AppError('STORE_UNAVAILABLE', `The delivery couldn't be stored: ${reason}.`, {
    cause: error,
  })
}

/** The same thread with its errors translated by `explain`. */
function explained<Table>(
  { run, close }: JobThread<Table>,
  explain: (error: unknown) => unknown,
): JobThread<Table> {
  return {
    run: (...job) =>
      run(...job).catch((error: unknown) => {
        throw explain(error)
      }),
    close,
  }
}

/** Whose rows a writer job changes, by seq: for jobs that store what the handler returned, or which flow a delivery belongs to. */
const changedRows: {
  readonly [Name in keyof WriterJobs]?: (
    input: JobInput<WriterJobs[Name]>,
    result: JobOutput<WriterJobs[Name]>,
  ) => readonly number[]
} = {
  sends: (_, { deliveries }) => deliveries,
  flowDeliveries: ({ rows }) => rows.map(({ seq }) => seq),
}

/** Facts about the deliveries that must be known before the store opens. */
async function readStart(reader: JobThread<ReaderJobs>, countedAtStart: number) {
  const newest = await reader.run('newestSeq', null)
  /** Damage found so far: a delivery that can't be counted doesn't prevent reading others. */
  let damage: unknown = null
  const orIfDamaged =
    <Value>(value: Value) =>
    (error: unknown) => {
      if (!isCorrupt(error)) throw error
      damage = error
      return value
    }
  // With many deliveries the start doesn't wait for their number: until some are deleted, it is nearly always the largest seq.
  const known =
    newest > countedAtStart
      ? null
      : await reader.run('countUpTo', newest).catch(orIfDamaged(newest))
  const isDescribed = await reader.run('isDescribed', null).catch(orIfDamaged(true))
  return { newest, known, isDescribed, damage }
}

interface TotalDeps {
  /** The largest seq at the start. */
  readonly newest: number
  /** Their number, if already known; null: `newest` is the estimate. */
  readonly known: number | null
  /** Counts visible deliveries up to `newest`. */
  count(): Promise<number>
}

/**
 * How many deliveries are stored, known without querying the database each time. With very many, the start doesn't wait for it: until
 * it is counted it is an estimate, good enough to show, but not to delete by: that waits for `counted`.
 */
export function createTotal({ newest, known, count }: TotalDeps) {
  let total = known ?? newest
  /** The part of the total up to `newest`. */
  let older = total
  let moves = 0
  let counting: Promise<void> | null = known === null ? null : Promise.resolve()

  async function countOlder(): Promise<void> {
    for (;;) {
      const before = moves
      const counted = await count()
      // Deliveries hidden in the meantime may or may not be in that number.
      if (moves !== before) continue
      total += counted - older
      older = counted
      return
    }
  }

  return {
    now: () => total,
    /** The exact number. Rejects if it can't be counted; the next call tries again. */
    async counted() {
      counting ??= countOlder().catch((error: unknown) => {
        counting = null
        throw error
      })
      await counting
      return total
    },
    stored(stored: number) {
      total += stored
    },
    /** Runs a function that hides deliveries (`by` −1) or shows them again; returns their seqs. */
    async moving(by: 1 | -1, move: () => Promise<number[]>): Promise<number[]> {
      moves++
      const moved = await move()
      moves++
      total += by * moved.length
      older += by * moved.filter((seq) => seq <= newest).length
      return moved
    },
  }
}

/** Opens the store, creating and migrating the database if needed. No repair replaces the database while it is open. */
export async function openStore(deps: StoreDeps) {
  const release = shareFolder(deps.dataFolder)
  try {
    const store = await openFiles(deps)
    return {
      ...store,
      close: () => store.close().finally(release),
    }
  } catch (error) {
    release()
    throw error
  }
}

async function openFiles(deps: StoreDeps) {
  const { workers, withoutThreads = false } = deps
  const file = databaseFileOf(deps.dataFolder)
  completeRepair(file)
  const searchFile = searchFileOf(deps.dataFolder)
  const toWrite = { file, options: deps.options ?? {} }
  const toRead = { file, limitMs: READ_LIMIT_MS }
  const writing = withoutThreads
    ? await import('./writer.ts').then(({ openWriter }) => runJobsHere(() => openWriter(toWrite)))
    : await startJobThread<WriterJobs>(workers.writer, toWrite)
  const checkpoint = createIdleCheckpoint({
    isBusy: () => !group.isIdle(),
    writeBack: () => writing.run('writeBackLog', null),
    log: deps.log,
  })
  let problem: string | null = null
  /** Known damage; only a repair removes it. */
  let damage: AppError | null = null
  const explain = (error: unknown): unknown => {
    if (isBusy(error)) return folderInUse(deps.dataFolder, error)
    if (isFull(error)) return diskFull(deps.dataFolder, error)
    // A row whose JSON can't be read was altered on its page, because this program wrote it.
    if (!isCorrupt(error) && (error as Error).name !== 'SyntaxError') return error
    const isNews = damage === null
    damage ??= damagedDatabase(file, error, WORKS_WITH_DAMAGE)
    if (isNews) {
      deps.log.warn('The database is damaged.', { reason: (error as Error).message })
      void status().then(deps.onStatus)
    }
    return damage
  }
  const { run: runWriting } = explained(writing, explain)
  const writer: JobThread<WriterJobs>['run'] = (...job) => {
    checkpoint.written()
    return runWriting(...job)
  }
  // The reader opens the database that the writer has migrated.
  const opening = withoutThreads
    ? import('./reader.ts').then(({ openReader }) => runJobsHere(() => openReader(toRead)))
    : startJobThread<ReaderJobs>(workers.reader, toRead)
  const plainReader = await opening.catch(async (error: unknown) => {
    await writing.close()
    throw error
  })
  const reader = explained(plainReader, explain)
  const { newest, known, isDescribed, ...start } = await readStart(
    plainReader,
    deps.countedAtStart ?? COUNTED_AT_START,
  ).catch(async (error: unknown) => {
    await plainReader.close()
    await writing.close()
    throw isCorrupt(error) ? damagedDatabase(file, error, WORKS_WITHOUT_DATABASE) : error
  })
  const total = createTotal({
    newest,
    known,
    count: () => search.countUpTo(newest),
  })

  const sizes = async () => {
    const names = [file, `${file}-wal`, searchFile, `${searchFile}-wal`]
    const [database = 0, log = 0, index = 0, indexLog = 0] = await Promise.all(names.map(fileSize))
    return { database, log, search: index + indexLog }
  }
  const status = async (): Promise<StoreStatus> => ({
    state: damage !== null ? 'damaged' : problem === null ? 'ok' : 'failing',
    problem: damage?.message ?? problem,
    deliveries: total.now(),
    bytes: Object.values(await sizes()).reduce((sum, size) => sum + size),
    search: search.status(),
  })
  const note = (next: string | null) => {
    if (next === problem) return
    const changed = (next === null) !== (problem === null)
    problem = next
    if (changed) void status().then(deps.onStatus)
  }

  /** The largest stored seq. */
  let stored = newest
  const group = createGroupCommit(newest + 1, async ({ rows, bodies }) => {
    try {
      await writer('ingest', { rows: JSON.stringify(rows), bodies }, [bodies])
    } catch (error) {
      const failure = unavailable(error)
      note(failure.message)
      throw failure
    }
    total.stored(rows.length)
    stored += rows.length
    pace.arrived(rows.length)
    followUp.stored()
    note(null)
  })
  const pace = createPace(() => !group.isIdle())
  const search = createSearch({
    worker: deps.workers.search,
    file,
    searchFile,
    limitMs: READ_LIMIT_MS,
    reader: plainReader,
    write: writer,
    log: deps.log,
    opensLater: deps.isBrief === true && newest <= MOST_CHECKED,
    isDatabaseDamaged: () => damage !== null,
    explain,
    isBusy: () => !group.isIdle(),
    newest: () => stored,
    onStatus: () => void status().then(deps.onStatus),
  })

  if (known === null)
    total
      .counted()
      .then(status)
      .then(deps.onStatus)
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) deps.log.bug(error, 'counting deliveries')
      })

  const write: JobThread<WriterJobs>['run'] = async (name, input, transfer) => {
    const result = await writer(name, input, transfer)
    deps.onDescribed(changedRows[name]?.(input, result) ?? [])
    return result
  }
  const followUp = createFollowUp({
    describe: (answers) =>
      writer('describe', { answers, lenientEnvironments: deps.lenientEnvironments() }),
    onDescribed(seqs) {
      search.changed()
      deps.onDescribed(seqs)
    },
    isBusy: () => !group.isIdle(),
    log: deps.log,
  })
  if (!isDescribed || deps.isBrief !== true) followUp.stored()
  if (start.damage !== null) explain(start.damage)
  // Writes back the start's changes and what a killed process left in the log.
  checkpoint.written()

  return {
    read: reader.run,
    write,
    search,
    /** Stores a delivery durably and returns its seq; rejects with `STORE_UNAVAILABLE` if it can't. */
    capture: group.capture,
    answered: followUp.answered,
    /** Hides deliveries from every reader until they are restored or removed; `at` in milliseconds. Returns those that weren't hidden. */
    hide: (seqs: readonly number[], at: number) =>
      total.moving(-1, () => writer('hide', { seqs, at })),
    /** Shows hidden deliveries again; returns those that were hidden. */
    restore: (seqs: readonly number[]) => total.moving(1, () => writer('unhide', seqs)),
    /** Reads every page and row of the database. It takes seconds for a large one. */
    async findDamage(): Promise<Damage> {
      if (damage !== null) return { ...NO_DAMAGE, pages: damage.message }
      // Its own thread, so that others can read meanwhile.
      const thread = await startJobThread<ReaderJobs>(workers.reader, toRead)
      try {
        await thread.run('checkPages', null)
        return { pages: null, ...(await thread.run('checkRows', null)) }
      } catch (error) {
        return { ...NO_DAMAGE, pages: (explain(error) as Error).message }
      } finally {
        await thread.close()
      }
    },
    /** When work behind the receiver may run. */
    pace,
    /** Sizes of the files of the database, its log and the search index, in bytes; the index's own log is part of the index. */
    sizes,
    /** Waits until stored deliveries are described too, but not long: a second by default. */
    settled: (patienceMs = SETTLE_PATIENCE_MS) => followUp.settled(patienceMs),
    /** Number of stored deliveries; with very many, an estimate for the first seconds after the start. */
    total: total.now,
    /** The same once it is exact: deletion by number waits for it. */
    counted: total.counted,
    status,
    async close() {
      await group.drained()
      pace.stop()
      await followUp.close()
      await search.close()
      await reader.close()
      await checkpoint.close()
      await writing.close()
    },
  }
}
