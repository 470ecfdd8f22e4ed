/** Whether the store works: the last failed write, known damage, and the sizes of its files. */
import { stat } from 'node:fs/promises'
import type { AppError } from '../../shared/contract/errors.ts'
import type { SearchStatus, StoreStatus } from '../../shared/model/status.ts'
import type { Log } from '../base/deps.ts'
import {
  damagedDatabase,
  diskFull,
  folderInUse,
  isBusy,
  isCorrupt,
  isFull,
  WORKS_WITH_DAMAGE,
} from './sqlite-errors.ts'

interface HealthDeps {
  readonly dataFolder: string
  readonly file: string
  readonly searchFile: string
  readonly log: Pick<Log, 'warn'>
  deliveries(): number
  search(): SearchStatus
  onStatus(status: StoreStatus): void
}

async function fileSize(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch {
    // Log files exist only while connections are open.
    return 0
  }
}

export class StoreHealth {
  readonly #deps: HealthDeps
  #problem: string | null = null
  #damage: AppError | null = null

  constructor(deps: HealthDeps) {
    this.#deps = deps
  }

  get damage(): AppError | null {
    return this.#damage
  }

  /** Records the problem of the last write, or null. */
  setProblem(problem: string | null): void {
    if (problem === this.#problem) return
    const isChanged = (problem === null) !== (this.#problem === null)
    this.#problem = problem
    if (isChanged) this.report()
  }

  /** Translates an error for the user; remembers damage, which only a repair removes. */
  explain = (error: unknown): unknown => {
    const { dataFolder, file, log } = this.#deps
    if (isBusy(error)) return folderInUse(dataFolder, error)
    if (isFull(error)) return diskFull(dataFolder, error)
    // Only valid JSON is stored, so a syntax error shows an altered page.
    if (!isCorrupt(error) && (error as Error).name !== 'SyntaxError') return error
    if (this.#damage === null) {
      this.#damage = damagedDatabase(file, error, WORKS_WITH_DAMAGE)
      log.warn('The database is damaged.', { reason: (error as Error).message })
      this.report()
    }
    return this.#damage
  }

  report = (): void => {
    void this.status().then(this.#deps.onStatus)
  }

  async sizes() {
    const { file, searchFile } = this.#deps
    const names = [file, `${file}-wal`, searchFile, `${searchFile}-wal`]
    const [database = 0, log = 0, index = 0, indexLog = 0] = await Promise.all(names.map(fileSize))
    return { database, log, search: index + indexLog }
  }

  async status(): Promise<StoreStatus> {
    return {
      state: this.#damage !== null ? 'damaged' : this.#problem === null ? 'ok' : 'failing',
      problem: this.#damage?.message ?? this.#problem,
      deliveries: this.#deps.deliveries(),
      bytes: Object.values(await this.sizes()).reduce((sum, size) => sum + size),
      search: this.#deps.search(),
    }
  }
}
