/**
 * The store of one data folder: threads that write, read and search. After a failed write its state
 * is `failing` until a write succeeds.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { StoreStatus } from '../../shared/model/status.ts'
import type { Log, WorkerEntries } from '../base/deps.ts'
import {
  runJobsHere,
  startJobThread,
  type JobInput,
  type JobThread,
  type JobOutput,
} from '../base/threads/job-thread.ts'
import { createGroupCommit } from './group-commit.ts'
import type { StoreOptions } from './open.ts'
import type { ReaderJobs } from './reader.ts'
import type { WriterJobs } from './writer.ts'
import type { RowProblems } from './damage.ts'
import { completeReplacement } from './complete-replacement.ts'
import { MAX_UNINDEXED_CHECKED } from './search/linked-deliveries.ts'
import { searchFileOf } from './search/open-search.ts'
import { createSearch } from './search/search.ts'
import { databaseFileOf } from './database.ts'
import { damagedDatabase, isCorrupt, WORKS_WITHOUT_DATABASE } from './sqlite-errors.ts'
import { shareFolder } from './folder-lock.ts'
import { READ_LIMIT_MS } from './read-limits.ts'
import { createIdleCheckpoint } from './idle-checkpoint.ts'
import { createPace } from './pace.ts'
import { FollowUp } from './follow-up.ts'
import type { IngestBatch } from './ingest.ts'
import { StoreHealth } from './store-health.ts'
import { createDeliveryCount } from './delivery-count.ts'

export interface StoreDeps {
  readonly dataFolder: string
  readonly workers: Pick<WorkerEntries, 'writer' | 'reader' | 'search'>
  readonly log: Log
  readonly options?: StoreOptions
  /** Seq up to which opening the store counts deliveries; with more, they are counted later. */
  readonly countedAtStart?: number
  /** Whether it is open for one command, so that a search needs no index. */
  readonly isBrief?: boolean
  /** Whether it writes and reads in the calling thread. */
  readonly withoutThreads?: boolean
  lenientEnvironments(): readonly string[]
  /** Receives the seqs of changed deliveries. */
  onDescribed(seqs: readonly number[]): void
  onStatus(status: StoreStatus): void
}

export interface Damage extends RowProblems {
  readonly pages: string | null
}

const NO_DAMAGE: Damage = { pages: null, values: [], bodies: [] }

export type Store = Omit<OpenStore, 'begin'>

const SETTLE_PATIENCE_MS = 1_000

const DEFAULT_COUNTED_AT_START = 20_000

function toStoreError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const reason = (error as Error).message
  return new AppError('STORE_UNAVAILABLE', `The delivery couldn't be stored: ${reason}.`, {
    cause: error,
  })
}

function withExplainedErrors<Table>(
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

/** Seqs of the rows that a job changes. */
const changedRows: {
  readonly [Name in keyof WriterJobs]?: (
    input: JobInput<WriterJobs[Name]>,
    result: JobOutput<WriterJobs[Name]>,
  ) => readonly number[]
} = {
  sends: (_, { deliveries }) => deliveries,
  flowDeliveries: ({ rows }) => rows.map(({ seq }) => seq),
}

/** Reads facts that must be known before the store opens. */
async function readStart(reader: JobThread<ReaderJobs>, countedAtStart: number) {
  const newest = await reader.run('newestSeq', null)
  /** Damage that leaves other rows readable. */
  let damage: unknown = null
  const orIfDamaged =
    <Value>(value: Value) =>
    (error: unknown) => {
      if (!isCorrupt(error)) throw error
      damage = error
      return value
    }
  // Until some are deleted, the number is nearly always the largest seq.
  const initialCount =
    newest > countedAtStart
      ? null
      : await reader.run('countUpTo', newest).catch(orIfDamaged(newest))
  const isDescribed = await reader.run('isDescribed', null).catch(orIfDamaged(true))
  return { newest, initialCount, isDescribed, damage }
}

interface OpenFiles {
  readonly file: string
  readonly searchFile: string
  readonly writing: JobThread<WriterJobs>
  readonly reading: JobThread<ReaderJobs>
  readonly start: Awaited<ReturnType<typeof readStart>>
}

const readerData = (file: string) => ({ file, limitMs: READ_LIMIT_MS })

async function startWriting({ options = {}, withoutThreads, workers }: StoreDeps, file: string) {
  const data = { file, options }
  if (withoutThreads !== true) return startJobThread<WriterJobs>(workers.writer, data)
  const { openWriter } = await import('./writer.ts')
  return runJobsHere(() => openWriter(data))
}

async function startReading({ withoutThreads, workers }: StoreDeps, file: string) {
  const data = readerData(file)
  if (withoutThreads !== true) return startJobThread<ReaderJobs>(workers.reader, data)
  const { openReader } = await import('./reader.ts')
  return runJobsHere(() => openReader(data))
}

async function openFiles(deps: StoreDeps): Promise<OpenFiles> {
  const file = databaseFileOf(deps.dataFolder)
  completeReplacement(file)
  const writing = await startWriting(deps, file)
  const reading = await startReading(deps, file).catch(async (error: unknown) => {
    await writing.close()
    throw error
  })
  const start = await readStart(reading, deps.countedAtStart ?? DEFAULT_COUNTED_AT_START).catch(
    async (error: unknown) => {
      await reading.close()
      await writing.close()
      throw isCorrupt(error) ? damagedDatabase(file, error, WORKS_WITHOUT_DATABASE) : error
    },
  )
  return { file, searchFile: searchFileOf(deps.dataFolder), writing, reading, start }
}

class OpenStore {
  readonly #deps: StoreDeps
  readonly #files: OpenFiles
  readonly #release: () => void
  readonly #health: StoreHealth
  readonly #checkpoint: ReturnType<typeof createIdleCheckpoint>
  readonly #runWriting: JobThread<WriterJobs>['run']
  readonly #reader: JobThread<ReaderJobs>
  readonly #total: ReturnType<typeof createDeliveryCount>
  readonly #group: ReturnType<typeof createGroupCommit>
  readonly #followUp: FollowUp
  #newestSeq: number

  readonly read: JobThread<ReaderJobs>['run']
  readonly search: ReturnType<typeof createSearch>
  readonly pace: ReturnType<typeof createPace>
  /** Stores a delivery durably and returns its seq. Rejects with `STORE_UNAVAILABLE`. */
  readonly capture: ReturnType<typeof createGroupCommit>['capture']
  readonly answered: FollowUp['answered']

  constructor(deps: StoreDeps, files: OpenFiles, release: () => void) {
    const { start, file, searchFile } = files
    this.#deps = deps
    this.#files = files
    this.#release = release
    this.#newestSeq = start.newest
    this.#health = new StoreHealth({
      dataFolder: deps.dataFolder,
      file,
      searchFile,
      log: deps.log,
      deliveries: () => this.#total.now(),
      search: () => this.search.status(),
      onStatus: deps.onStatus,
    })
    const { explain } = this.#health
    const isBusy = () => !this.#group.isIdle()
    this.#checkpoint = createIdleCheckpoint({
      isBusy,
      writeBack: () => files.writing.run('writeBackLog', null),
      log: deps.log,
    })
    this.#runWriting = withExplainedErrors(files.writing, explain).run
    this.#reader = withExplainedErrors(files.reading, explain)
    this.read = this.#reader.run
    this.#total = createDeliveryCount({
      ...start,
      count: () => this.search.countUpTo(start.newest),
    })
    this.#group = createGroupCommit(start.newest + 1, (batch) => this.#ingest(batch))
    this.capture = this.#group.capture
    this.pace = createPace(isBusy)
    this.search = createSearch({
      worker: deps.workers.search,
      file,
      searchFile,
      limitMs: READ_LIMIT_MS,
      reader: files.reading,
      write: this.#writer,
      log: deps.log,
      opensLater: deps.isBrief === true && start.newest <= MAX_UNINDEXED_CHECKED,
      isDatabaseDamaged: () => this.#health.damage !== null,
      explain,
      isBusy,
      newest: () => this.#newestSeq,
      onStatus: this.#health.report,
    })
    this.#followUp = new FollowUp({
      describe: (answers) =>
        this.#writer('describe', { answers, lenientEnvironments: deps.lenientEnvironments() }),
      onDescribed: (seqs) => {
        this.search.changed()
        deps.onDescribed(seqs)
      },
      isBusy,
      log: deps.log,
    })
    this.answered = this.#followUp.answered
  }

  /** Continues the work that an earlier process left. */
  begin(): void {
    const { initialCount, isDescribed, damage } = this.#files.start
    if (initialCount === null) void this.#count()
    if (!isDescribed || this.#deps.isBrief !== true) this.#followUp.stored()
    if (damage !== null) this.#health.explain(damage)
    // Writes back what a killed process left in the log.
    this.#checkpoint.written()
  }

  write: JobThread<WriterJobs>['run'] = async (name, input, transfer) => {
    const result = await this.#writer(name, input, transfer)
    this.#deps.onDescribed(changedRows[name]?.(input, result) ?? [])
    return result
  }

  /**
   * Hides deliveries and returns those that weren't hidden.
   * @param at - in milliseconds
   */
  hide = (seqs: readonly number[], at: number) =>
    this.#total.hiding(() => this.#writer('hide', { seqs, at }))

  restore = (seqs: readonly number[]) => this.#total.showing(() => this.#writer('unhide', seqs))

  findDamage = async (): Promise<Damage> => {
    const { damage, explain } = this.#health
    if (damage !== null) return { ...NO_DAMAGE, pages: damage.message }
    // An extra thread, so that others can read meanwhile.
    const thread = await startJobThread<ReaderJobs>(
      this.#deps.workers.reader,
      readerData(this.#files.file),
    )
    try {
      await thread.run('checkPages', null)
      return { pages: null, ...(await thread.run('checkRows', null)) }
    } catch (error) {
      return { ...NO_DAMAGE, pages: (explain(error) as Error).message }
    } finally {
      await thread.close()
    }
  }

  sizes = () => this.#health.sizes()

  /** Waits until deliveries are described, a second by default. */
  settled = (patienceMs = SETTLE_PATIENCE_MS) => this.#followUp.settled(patienceMs)

  total = () => this.#total.now()
  counted = () => this.#total.counted()
  status = () => this.#health.status()

  close = async () => {
    try {
      await this.#group.drained()
      this.pace.stop()
      await this.#followUp.close()
      await this.search.close()
      await this.#reader.close()
      await this.#checkpoint.close()
      await this.#files.writing.close()
    } finally {
      this.#release()
    }
  }

  #writer: JobThread<WriterJobs>['run'] = (...job) => {
    this.#checkpoint.written()
    return this.#runWriting(...job)
  }

  async #ingest({ rows, bodies }: IngestBatch): Promise<void> {
    try {
      await this.#writer('ingest', { rows: JSON.stringify(rows), bodies }, [bodies])
    } catch (error) {
      const failure = toStoreError(error)
      this.#health.setProblem(failure.message)
      throw failure
    }
    this.#total.stored(rows.length)
    this.#newestSeq += rows.length
    this.pace.arrived(rows.length)
    this.#followUp.stored()
    this.#health.setProblem(null)
  }

  async #count(): Promise<void> {
    try {
      await this.#total.counted()
      this.#deps.onStatus(await this.status())
    } catch (error) {
      if (!(error instanceof AppError)) this.#deps.log.bug(error, 'counting deliveries')
    }
  }
}

/** Opens the store, which no repair replaces while it is open. */
export async function openStore(deps: StoreDeps): Promise<Store> {
  const release = shareFolder(deps.dataFolder)
  try {
    const store = new OpenStore(deps, await openFiles(deps), release)
    store.begin()
    return store
  } catch (error) {
    release()
    throw error
  }
}
