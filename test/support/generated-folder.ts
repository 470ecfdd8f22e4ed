/**
 * A data folder full of generated deliveries, cached per seed and count in `node_modules/.cache`
 * and updated after changes of schema or index. Each use works on a copy.
 */
import { constants, existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeliveryDescriber } from '../../src/core/store/delivery-describer.ts'
import { describePayload } from '../../src/shared/service/payload.ts'
import { prepareIngest } from '../../src/core/store/ingest.ts'
import { openForReading, openForWriting } from '../../src/core/store/open.ts'
import { searchFileOf } from '../../src/core/store/search/open-search.ts'
import {
  closeSearchTools,
  openSearchTools,
  searchJobs,
} from '../../src/core/store/search/search-jobs.ts'
import { shownEventTypes } from '../../src/shared/service/event-type.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'
import {
  generateDeliveries,
  type GeneratedDelivery,
  type GeneratedHook,
  type GeneratedSpan,
} from './generated-deliveries.ts'
import { startTestCore } from './test-core.ts'

export interface GeneratedFolderOptions {
  readonly seed: number
  readonly count: number
  readonly progress?: (message: string) => void
}

/** Version of the generator; increase it if a seed should generate other deliveries. */
const GENERATION = 2
const BATCH = 2_000
const CACHE = join(import.meta.dirname, '../../node_modules/.cache')

/** Registers two hooks per event; transaction events get one of each mode. */
async function makeHooks(folder: string, seed: number): Promise<GeneratedHook[]> {
  const core = await startTestCore({ dataFolder: folder })
  try {
    const hooks: GeneratedHook[] = []
    for (const event of shownEventTypes) {
      for (const mode of event.startsWith('transaction.')
        ? (['test', 'live'] as const)
        : (['test'] as const)) {
        const secret = `secret of ${event} ${mode} ${seed}`
        const url = `https://127.0.0.1:4430/h/${event.replaceAll('.', '-')}-${mode}`
        const environment = `sandbox-${mode}`
        const { id } = await core.client.call('hooks.import', {
          event,
          url,
          secret,
          environment,
          live: mode === 'live',
        })
        hooks.push({ id, event, url, secret, environment, mode })
      }
    }
    return hooks
  } finally {
    await core.stop()
  }
}

function fill(
  folder: string,
  hooks: readonly GeneratedHook[],
  options: GeneratedFolderOptions,
  span?: GeneratedSpan,
): void {
  const db = openForWriting(databaseFileOf(folder))
  try {
    const ingest = prepareIngest(db)
    const { describe } = new DeliveryDescriber(db)
    // The file can be generated again, so it needn't survive a power failure.
    db.pragma('synchronous = OFF')
    let seq = 0
    const store = (batch: readonly GeneratedDelivery[]) => {
      const rows = batch.map(({ row, body }) => ({ ...row, seq: ++seq, keptBytes: body.length }))
      ingest({ rows, bodies: new Uint8Array(Buffer.concat(batch.map(({ body }) => body))).buffer })
      const answers = batch.map(({ answer }, index) => ({ ...answer, seq: rows[index]!.seq }))
      const batchOf = { answers, lenientEnvironments: [] }
      while (describe(batchOf, describePayload).hasMore);
      db.pragma('synchronous = OFF')
      if (seq % 100_000 === 0) options.progress?.(`${seq.toLocaleString('en')} deliveries made`)
    }
    let batch: GeneratedDelivery[] = []
    for (const delivery of generateDeliveries(options.seed, options.count, hooks, span)) {
      batch.push(delivery)
      if (batch.length < BATCH) continue
      store(batch)
      batch = []
    }
    store(batch)
  } finally {
    db.close()
  }
}

function fillIndex(folder: string, options: GeneratedFolderOptions): void {
  const main = openForReading(databaseFileOf(folder))
  const tools = openSearchTools(main, searchFileOf(folder))
  try {
    for (let reported = 0; ;) {
      const { behind, indexed: done } = searchJobs.fill(tools, 500)
      if (done - reported >= 100_000)
        options.progress?.(`${done.toLocaleString('en')} deliveries indexed`)
      if (done - reported >= 100_000) reported = done
      if (!behind) return
    }
  } finally {
    closeSearchTools(tools)
    main.close()
  }
}

/** Fills an empty folder with hooks, deliveries and their index. */
export async function fillFolder(
  folder: string,
  options: GeneratedFolderOptions,
  span?: GeneratedSpan,
): Promise<void> {
  const hooks = await makeHooks(folder, options.seed)
  fill(folder, hooks, options, span)
  fillIndex(folder, options)
}

/** Returns the cached folder, which nobody else may write to; a cancelled run leaves none. */
export async function keptGeneratedFolder(options: GeneratedFolderOptions): Promise<string> {
  await mkdir(CACHE, { recursive: true })
  const kept = join(CACHE, `countersign-generated-${GENERATION}-${options.seed}-${options.count}`)
  if (existsSync(kept)) {
    openForWriting(databaseFileOf(kept)).close()
    fillIndex(kept, options)
    return kept
  }
  const folder = await mkdtemp(`${kept}-making-`)
  try {
    await fillFolder(folder, options)
    await rename(folder, kept)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  return kept
}

export async function copyGeneratedFolder(options: GeneratedFolderOptions): Promise<string> {
  const kept = await keptGeneratedFolder(options)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-generated-copy-'))
  await cp(kept, folder, { recursive: true, mode: constants.COPYFILE_FICLONE })
  return folder
}
