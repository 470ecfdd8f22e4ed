/**
 * Takes deliveries that were received elsewhere, as the evidence that they are: bytes, names, verdict and answer of then. One that
 * is known by its id is left as it is. It is passed on to nobody, and counts as no attempt of what arrives here.
 */
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { createTurns } from '../in-turn.ts'
import type { ImportedRow } from '../store/imported-repo.ts'
import type { Store } from '../store/store.ts'
import { IMPORTED, readRecord, type DeliveryRecord } from './record.ts'

export interface ImporterDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'capture' | 'answered' | 'search' | 'settled' | 'pace'>
  /** Hears of each one that was taken. */
  onImported(row: DeliveryRow): void
}

export interface Importer {
  /** Rejects with `STORE_UNAVAILABLE` where not all could be stored; what was is known then, and whole. */
  import(lines: readonly string[]): Promise<OutputOf<'exchange.import'>>
}

type Readable = Extract<ReturnType<typeof readRecord>, { record: DeliveryRecord }>

export function createImporter(deps: ImporterDeps): Importer {
  const { store } = deps
  // What is known is asked before it is stored: two imports of one file at once would store it twice.
  const inTurn = createTurns()

  async function take({ record, body }: Readable): Promise<ImportedRow> {
    const seq = await store.capture({
      row: {
        id: record.id,
        receivedAt: Date.parse(record.receivedAt),
        method: record.method,
        path: record.path,
        malformed: record.malformed?.reason ?? null,
        httpVersion: record.httpVersion,
        headers: JSON.stringify(record.headers),
        bodySize: record.bodySize,
        bodySha256: record.bodySha256,
        truncated: record.truncated,
        remote: IMPORTED + (record.remote ?? ''),
        event: record.event,
        eventSource: record.eventSource,
        hookId: record.hookId,
        environment: record.environment,
        mode: record.mode,
        verdict: record.verdict,
        freshness: record.freshness,
        notificationKey: null,
        replayOf: record.replayOf,
      },
      body,
    })
    store.answered({ seq, ...record.answer })
    const { attempt, attemptOf, duplicateOf, pinned, note, colour } = record
    return { seq, attempt, attemptOf, duplicateOf, pinned, note, colour }
  }

  async function importAll(lines: readonly string[]): Promise<OutputOf<'exchange.import'>> {
    const refused: { line: number; reason: string }[] = []
    const read = new Map<string, Readable>()
    let known = 0
    for (const [line, text] of lines.entries()) {
      if (text.trim() === '') continue
      const one = readRecord(text)
      if ('refused' in one) refused.push({ line, reason: one.refused })
      else if (read.has(one.record.id)) known++
      else read.set(one.record.id, one)
    }
    const stored = new Set(await store.read('knownIds', [...read.keys()]))
    known += stored.size
    const fresh = [...read.values()].filter(({ record }) => !stored.has(record.id))
    await store.pace.rest()
    // Together: they are committed in a few batches, in their order.
    const taken = await Promise.allSettled(fresh.map(take))
    const rows = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (rows.length > 0) await complete(rows)
    // What was stored is known from now on, and whole; what could not be is taken by a second try.
    const failure = taken.find((one) => one.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    return { imported: rows.length, known, refused }
  }

  /** With what is not found out here but known from where they were received. */
  async function complete(rows: readonly ImportedRow[]): Promise<void> {
    const seqs = rows.map(({ seq }) => seq)
    await store.settled()
    await store.write('completeImported', rows)
    store.search.changed(seqs)
    for (const row of await store.read('rowsBySeq', seqs)) deps.onImported(row)
  }

  return { import: (lines) => inTurn(() => importAll(lines)) }
}
