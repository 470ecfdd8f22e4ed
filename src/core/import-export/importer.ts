/**
 * Imports deliveries that were received elsewhere: their bytes and the file's claims. A claimed verdict counts only once a known
 * hook's secret reproduces the signature, and a hook named in the file signs nothing. A delivery with a known ID is left unchanged.
 * Imported deliveries are never forwarded and never count as attempts of local notifications.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OutputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { IMPORTED } from '../../shared/model/delivery.ts'
import {
  type ImportedLines,
  NOTHING_IMPORTED,
  withLines,
} from '../../shared/model/import-outcome.ts'
import { createMutex } from '../base/async.ts'
import type { Clock, Ids } from '../base/deps.ts'
import { collectYoung } from '../base/threads/memory.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { belongingTo, type RegisteredHook, type Registry } from '../hooks/registry.ts'
import type { Store } from '../store/store.ts'
import type { EventHub } from '../base/event-hub.ts'
import {
  AROUND_BODY,
  createLineReader,
  longestLine,
  type LineReader,
  tooLongReason,
} from './line-reader.ts'
import { readRecord, type ReadableRecord } from './record.ts'

/** Milliseconds that an import waits for its stored deliveries to be described. */
const SETTLED_PATIENCE_MS = 10_000
/** Milliseconds that an import waits for its next piece: its client may be gone. */
const PIECE_PATIENCE_MS = 600_000
/** Imports at a time. Each may hold one long line, so the one that rested longest ends. */
const MOST_STREAMS = 4

export interface ImporterDeps {
  readonly store: Pick<Store, 'read' | 'capture' | 'settled' | 'pace'>
  readonly hooks: Pick<Hooks, 'list'>
  readonly registry: Pick<Registry, 'judge'>
  readonly hub: Pick<EventHub, 'emit'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly ids: Ids
  /** In bytes; limits the length of a line. */
  bodyLimit(): number
}

export type Importer = ReturnType<typeof createImporter>

/**
 * Characters of a long line after which the garbage of its pieces is collected: left alone, it
 * would be as large as the line.
 */
const GARBAGE = 1_048_576

interface ImportPiece {
  /** The import that it continues; null begins one. */
  readonly stream: string | null
  readonly text: string
  readonly ends: boolean
}

/**
 * Lines that were read and aren't stored yet. `repeated` counts those whose ID an earlier line has.
 */
const emptyBatch = () => ({
  read: new Map<string, ReadableRecord>(),
  refused: [] as { line: number; reason: string }[],
  repeated: 0,
  lines: 0,
})
type Batch = ReturnType<typeof emptyBatch>

/** An import in progress: the line that its text ends in, and the outcome of those before. */
class ImportStream {
  readonly name: string
  readonly #bodyLimit: number
  /** Reads the current line; null if that has no text yet or is too long. */
  #line: LineReader | null = null
  #lineLength = 0
  batch = emptyBatch()
  outcome = NOTHING_IMPORTED
  waiting = new AbortController()

  constructor(name: string, bodyLimit: number) {
    this.name = name
    this.#bodyLimit = bodyLimit
  }

  get isInLine(): boolean {
    return this.#lineLength > 0
  }

  /** Adds a part of a line, without its line break. `ends`: no further part follows. */
  add(text: string, ends: boolean): void {
    const most = longestLine(this.#bodyLimit)
    // A line of one part needs no more memory than it has characters.
    const line = ends ? text.length : most
    const before = Math.floor(this.#lineLength / GARBAGE)
    this.#lineLength += text.length
    if (Math.floor(this.#lineLength / GARBAGE) > before) collectYoung()
    if (this.#lineLength > most) this.#line = null
    else (this.#line ??= createLineReader({ line, text: AROUND_BODY })).add(text)
  }

  endLine(): void {
    const { batch } = this
    const refuse = (reason: string) => batch.refused.push({ line: batch.lines, reason })
    const contents = this.#line?.end()
    if (contents !== undefined && contents.text?.trim() !== '') {
      const one = readRecord(contents)
      if ('refused' in one) refuse(one.refused)
      else if (batch.read.has(one.record.id)) batch.repeated++
      else batch.read.set(one.record.id, one)
    } else if (contents === undefined && this.#lineLength > 0)
      refuse(tooLongReason(this.#bodyLimit))
    batch.lines++
    this.#line = null
    this.#lineLength = 0
  }
}

export function createImporter(deps: ImporterDeps) {
  const { store, clock, ids } = deps
  // Known IDs are looked up before storing: two parallel imports of one file would store it twice.
  const exclusive = createMutex()
  /** By name; the one that rested longest is first. */
  const streams = new Map<string, ImportStream>()

  /** The hook whose secret made the signature; null if none here did. */
  async function hookOf({ record, body }: ReadableRecord): Promise<RegisteredHook | null> {
    const { path, headers, truncated, malformed, receivedAt } = record
    if (truncated || malformed !== null) return null
    const { verdict, hook } = await deps.registry.judge(
      path ?? '/',
      headers,
      body,
      Date.parse(receivedAt),
    )
    return verdict === 'valid' ? hook : null
  }

  /** In one transaction, including what is known from the original receiver and not computed here. */
  function take(
    { record, body }: ReadableRecord,
    hook: RegisteredHook | null,
    knownHooks: ReadonlySet<string>,
  ): Promise<number> {
    const claims = {
      // If the file names no hook, the event is inferred from the body.
      ...(record.eventSource === 'hook' ? {} : { event: null, eventSource: null }),
      // A local hook is found by signature, never by ID: a file must not borrow a secret.
      hookId: record.hookId !== null && knownHooks.has(record.hookId) ? null : record.hookId,
    }
    const proved = hook && {
      ...belongingTo(hook),
      ...({ verdict: 'valid', event: hook.event, eventSource: 'hook' } as const),
    }
    return store.capture({
      row: {
        ...record,
        receivedAt: Date.parse(record.receivedAt),
        malformed: record.malformed?.reason ?? null,
        headers: JSON.stringify(record.headers),
        trailers: record.trailers.length === 0 ? null : JSON.stringify(record.trailers),
        remote: IMPORTED + (record.remote ?? ''),
        ...(proved ?? claims),
        notificationKey: null,
        elsewhere: {
          ...record,
          verifiedHere: hook !== null,
          cause: hook === null ? record.cause : null,
        },
      },
      body,
      isGiven: true,
    })
  }

  async function importAll({ read, ...batch }: Batch): Promise<ImportedLines> {
    const stored = new Set(await store.read('knownIds', [...read.keys()]))
    const fresh = [...read.values()].filter(({ record }) => !stored.has(record.id))
    await store.pace.rest()
    // Committed together in a few batches, in order.
    const knownHooks = new Set(deps.hooks.list().map(({ id }) => id))
    const signers: (RegisteredHook | null)[] = []
    for (const one of fresh) {
      signers.push(await hookOf(one))
      await nextTurn()
    }
    const taken = await Promise.allSettled(
      fresh.map((one, index) => take(one, signers[index] ?? null, knownHooks)),
    )
    const seqs = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await tell(seqs)
    // Stored deliveries are known and complete from here on; a second import adds the rest.
    const failure = taken.find((one) => one.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    return { ...batch, imported: seqs.length, known: batch.repeated + stored.size }
  }

  async function tell(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return
    // One large body at a time: the next waits until this one is described.
    await store.settled(SETTLED_PATIENCE_MS)
    for (const seq of seqs) deps.hub.emit('delivery.imported', seq)
  }

  function streamOf(name: string | null): ImportStream {
    if (name === null) return new ImportStream(ids.next(), deps.bodyLimit())
    const stream = streams.get(name)
    if (stream !== undefined) return stream
    throw new AppError(
      'INVALID_INPUT',
      'This import is no longer available: others started, or it rested too long. Import the file again: nothing is imported twice.',
    )
  }

  function keep(stream: ImportStream): void {
    streams.set(stream.name, stream)
    const [longest] = streams.keys()
    if (streams.size > MOST_STREAMS && longest !== undefined) streams.delete(longest)
    stream.waiting = new AbortController()
    const { signal } = stream.waiting
    void clock.sleep(PIECE_PATIENCE_MS, signal).then(() => {
      if (!signal.aborted) streams.delete(stream.name)
    })
  }

  return {
    /**
     * Reads a piece of an import and stores the lines that it completes.
     *
     * @throws `INVALID_INPUT` if the import can't continue, and `STORE_UNAVAILABLE` if not all
     * could be stored; everything stored is then known and complete.
     */
    async add({ stream: name, text, ends }: ImportPiece): Promise<OutputOf<'exchange.import'>> {
      const stream = streamOf(name)
      streams.delete(stream.name)
      stream.waiting.abort()
      for (let from = 0; from < text.length;) {
        const end = text.indexOf('\n', from)
        stream.add(text.slice(from, end === -1 ? text.length : end), end !== -1)
        if (end === -1) break
        stream.endLine()
        from = end + 1
      }
      if (ends && stream.isInLine) stream.endLine()
      const { batch } = stream
      if (batch.lines > 0) {
        stream.batch = emptyBatch()
        stream.outcome = withLines(stream.outcome, await exclusive(() => importAll(batch)))
      }
      if (!ends) keep(stream)
      return { stream: stream.name, outcome: stream.outcome }
    },
  }
}
