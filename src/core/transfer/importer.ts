/**
 * Imports deliveries that were received elsewhere: their bytes, and what the file says of them. A file is a claim: its verdict counts
 * here only once a known hook's secret gives the signature, and a hook that it names signs nothing. A delivery whose id is known is
 * left as it is. An imported delivery is never forwarded, and is no attempt of what arrives here.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { createMutex } from '../base/mutex.ts'
import { collectYoung } from '../base/threads/release-memory.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Store } from '../store/store.ts'
import type { ImportClaims } from './claims.ts'
import { createLineReader, type LineReader } from './line-reader.ts'
import { IMPORTED, readRecord, type ReadableRecord } from './record.ts'

/** How an HTTP archive begins, on one line or laid out: the file that is taken for an export most often. */
const ARCHIVE = /^\s*\{\s*"log"\s*:/
/** So many lines are looked at for that. */
const ARCHIVE_HEAD = 8

/** How long an import waits for what it has stored to be described. */
const SETTLED_PATIENCE_MS = 10_000

export interface ImporterDeps {
  readonly store: Pick<Store, 'read' | 'capture' | 'settled' | 'pace'>
  readonly hooks: Pick<Hooks, 'list'>
  readonly claims: Pick<ImportClaims, 'catchUp'>
  /** Hears of each one that was taken. */
  onImported(row: DeliveryRow): void
}

export interface Importer {
  /**
   * `begun` has read the beginning of the first line. Rejects with `UNSUPPORTED` where they begin an HTTP archive, and with `STORE_UNAVAILABLE` where not all could be stored; what was
   * stored is known then, and whole.
   */
  import(lines: readonly string[], begun?: LineReader | null): Promise<OutputOf<'exchange.import'>>
}

interface ReadLines {
  readonly read: ReadonlyMap<string, ReadableRecord>
  readonly refused: OutputOf<'exchange.import'>['refused']
  /** Lines with an id that an earlier line has. */
  readonly repeated: number
}

/** Throws `UNSUPPORTED` where they begin an HTTP archive. */
function readLines(lines: readonly string[], begun: LineReader | null): ReadLines {
  if (ARCHIVE.test((begun?.head() ?? '') + lines.slice(0, ARCHIVE_HEAD).join('\n')))
    throw new AppError(
      'UNSUPPORTED',
      'An HTTP archive (HAR) lacks parts of each delivery, so it cannot be imported. Export the deliveries as JSON Lines ("countersign export --format jsonl", or in the window), then import that file.',
    )
  const read = new Map<string, ReadableRecord>()
  const refused: { line: number; reason: string }[] = []
  let repeated = 0
  for (const [line, text] of lines.entries()) {
    const reader = line === 0 && begun !== null ? begun : createLineReader({ line: text.length, text: text.length })
    reader.add(text)
    const contents = reader.end()
    if (contents.text?.trim() === '') continue
    const one = readRecord(contents)
    if ('refused' in one) refused.push({ line, reason: one.refused })
    else if (read.has(one.record.id)) repeated++
    else read.set(one.record.id, one)
  }
  return { read, refused, repeated }
}

export function createImporter(deps: ImporterDeps): Importer {
  const { store } = deps
  // What is known is asked before it is stored: two imports of one file at once would store it twice.
  const exclusive = createMutex()

  /** In one transaction, with what is not found out here but known from where it was received. */
  function take({ record, body }: ReadableRecord, knownHooks: ReadonlySet<string>): Promise<number> {
    return store.capture({
      row: {
        ...record,
        receivedAt: Date.parse(record.receivedAt),
        malformed: record.malformed?.reason ?? null,
        headers: JSON.stringify(record.headers),
        trailers: record.trailers.length === 0 ? null : JSON.stringify(record.trailers),
        remote: IMPORTED + (record.remote ?? ''),
        // What isn't claimed to be identified by a hook is found out here, from the body.
        ...(record.eventSource === 'hook' ? {} : { event: null, eventSource: null }),
        // A hook of this data folder is found by the signature, never by its id: a file must not borrow a secret.
        hookId: record.hookId !== null && knownHooks.has(record.hookId) ? null : record.hookId,
        notificationKey: null,
        elsewhere: record,
      },
      body,
      isGiven: true,
    })
  }

  async function importAll({ read, refused, repeated }: ReadLines): Promise<OutputOf<'exchange.import'>> {
    let known = repeated
    const stored = new Set(await store.read('knownIds', [...read.keys()]))
    known += stored.size
    const fresh = [...read.values()].filter(({ record }) => !stored.has(record.id))
    await store.pace.rest()
    // Together: they are committed in a few batches, in their order.
    const knownHooks = new Set(deps.hooks.list().map(({ id }) => id))
    const taken = await Promise.allSettled(fresh.map((one) => take(one, knownHooks)))
    const seqs = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await tell(seqs)
    // What was stored is known from now on, and whole; what could not be is taken by a second try.
    const failure = taken.find((one) => one.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    return { imported: seqs.length, known, refused }
  }

  async function tell(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return
    // One large body at a time: the next one waits until this one has been described.
    await store.settled(SETTLED_PATIENCE_MS)
    await deps.claims.catchUp()
    for (const row of await store.read('rowsBySeq', seqs)) deps.onImported(row)
  }

  return {
    import(lines, begun = null) {
      // Parsed before its turn, so only the bodies wait in memory, not the lines too.
      const read = readLines(lines, begun)
      // The pieces of a long line have left garbage as large as it is.
      if (begun !== null) collectYoung()
      return exclusive(() => importAll(read))
    },
  }
}
