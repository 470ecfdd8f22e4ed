/** Imports deliveries. A claimed verdict counts once a known secret reproduces the signature. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OutputOf, ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { isSharedEnvironment } from '../../shared/model/environment.ts'
import { IMPORTED_PREFIX } from '../../shared/model/delivery.ts'
import {
  type ImportedLines,
  NOTHING_IMPORTED,
  addLines,
} from '../../shared/model/import-outcome.ts'
import { createMutex } from '../base/async.ts'
import type { Clock, Ids } from '../base/deps.ts'
import { collectYoung } from '../base/threads/memory.ts'
import { WaitingStreams } from '../base/waiting-streams.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { hookColumns, type Judgement, type Registry } from '../hooks/registry.ts'
import type { Store } from '../store/store.ts'
import type { EventHub } from '../base/event-hub.ts'
import { AROUND_BODY, longestLine, LineReader, tooLongReason } from './line-reader.ts'
import { readRecord, type ReadableRecord } from './record.ts'
import type { SharedSigner } from './shared-signers.ts'

const SETTLED_PATIENCE_MS = 10_000

export interface ImporterDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'capture' | 'settled' | 'pace'>
  readonly hooks: Pick<Hooks, 'list' | 'importShared'>
  readonly environments: Pick<Environments, 'all' | 'addShared'>
  readonly registry: Pick<Registry, 'judge'>
  readonly hub: Pick<EventHub, 'emit'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly ids: Ids
  /** Returns bytes, which limit a line's length. */
  bodyLimit(): number
}

/** Characters of a line after which garbage is collected. */
const COLLECTED_CHARACTERS = 1_048_576

const emptyBatch = () => ({
  read: new Map<string, ReadableRecord>(),
  signers: [] as { line: number; signer: SharedSigner }[],
  refused: [] as { line: number; reason: string }[],
  repeated: 0,
  lines: 0,
})
type Batch = ReturnType<typeof emptyBatch>

/** Import in progress: its unfinished line, and its outcome so far. */
class ImportStream {
  readonly name: string
  readonly #bodyLimit: number
  /** Reader of the current line; null if it is empty or too long. */
  #line: LineReader | null = null
  #lineLength = 0
  batch = emptyBatch()
  outcome = NOTHING_IMPORTED

  constructor(name: string, bodyLimit: number) {
    this.name = name
    this.#bodyLimit = bodyLimit
  }

  get isInLine(): boolean {
    return this.#lineLength > 0
  }

  /**
   * Adds a part of a line.
   * @param ends - whether no further part follows
   */
  add(text: string, ends: boolean): void {
    const most = longestLine(this.#bodyLimit)
    const line = ends ? text.length : most
    const before = Math.floor(this.#lineLength / COLLECTED_CHARACTERS)
    this.#lineLength += text.length
    if (Math.floor(this.#lineLength / COLLECTED_CHARACTERS) > before) collectYoung()
    if (this.#lineLength > most) this.#line = null
    else (this.#line ??= new LineReader({ line, text: AROUND_BODY })).add(text)
  }

  endLine(): void {
    const { batch } = this
    const refuse = (reason: string) => batch.refused.push({ line: batch.lines, reason })
    const contents = this.#line?.end()
    if (contents !== undefined && contents.text?.trim() !== '') {
      const parsed = readRecord(contents)
      if ('refused' in parsed) refuse(parsed.refused)
      else if ('countersign' in parsed) batch.signers.push({ line: batch.lines, signer: parsed })
      else if (batch.read.has(parsed.record.id)) batch.repeated++
      else batch.read.set(parsed.record.id, parsed)
    } else if (contents === undefined && this.#lineLength > 0)
      refuse(tooLongReason(this.#bodyLimit))
    batch.lines++
    this.#line = null
    this.#lineLength = 0
  }
}

/** Imports in progress, each fed piece by piece. */
export class Importer {
  readonly #deps: ImporterDeps
  // Two imports of one file take turns, because IDs are looked up first.
  readonly #exclusive = createMutex()
  readonly #streams: WaitingStreams<ImportStream>

  constructor(deps: ImporterDeps) {
    this.#deps = deps
    this.#streams = new WaitingStreams(deps.clock)
  }

  /**
   * Reads a piece, of a new import if `stream` is null, and stores its complete lines.
   * @throws `INVALID_INPUT` if it can't continue, `STORE_UNAVAILABLE` if not all were stored
   */
  add = async ({
    stream: name,
    text,
    ends,
  }: ParsedInputOf<'exchange.import'>): Promise<OutputOf<'exchange.import'>> => {
    const stream = this.#streamOf(name)
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
      stream.outcome = addLines(stream.outcome, await this.#exclusive(() => this.#importAll(batch)))
    }
    if (!ends) this.#streams.keep(stream.name, stream)
    return { stream: stream.name, outcome: stream.outcome }
  }

  /** Judges with the hooks here; of a file's own hooks, those of shareable captures. */
  async #judge({ record, body }: ReadableRecord): Promise<Judgement | null> {
    const { path, headers, truncated, malformed, receivedAt, shared } = record
    if (truncated || malformed !== null) return null
    const at = Date.parse(receivedAt)
    const judged = await this.#deps.registry.judge(path ?? '/', headers, body, at, shared)
    const isKnown =
      shared && (judged.verdict !== 'unknown-hook' || record.verdict === judged.verdict)
    return judged.verdict === 'valid' || isKnown ? judged : null
  }

  /** Stores a delivery with what its first receiver knew. A taken name gets a number. */
  async #store(
    { record, body }: ReadableRecord,
    judged: Judgement | null,
    knownHooks: ReadonlySet<string>,
  ): Promise<number> {
    const { shared, freshness } = record
    const claims = {
      ...(record.eventSource === 'hook' ? {} : { event: null, eventSource: null }),
      // A file must not borrow a secret, so hooks are found by signature only.
      hookId: record.hookId !== null && knownHooks.has(record.hookId) ? null : record.hookId,
    }
    const proved = judged && {
      ...hookColumns(judged.hook),
      verdict: judged.verdict,
      freshness: shared && freshness !== 'unknown' ? judged.freshness : freshness,
      ...(judged.verdict === 'valid'
        ? ({ event: judged.hook?.event ?? null, eventSource: 'hook' } as const)
        : { event: null, eventSource: null }),
    }
    const { name, origin, ...captured } = record
    const seq = await this.#deps.store.capture({
      row: {
        ...captured,
        ...(origin === 'composed' ? { origin } : {}),
        receivedAt: Date.parse(record.receivedAt),
        malformed: record.malformed?.reason ?? null,
        headers: JSON.stringify(record.headers),
        trailers: record.trailers.length === 0 ? null : JSON.stringify(record.trailers),
        remote: IMPORTED_PREFIX + (record.remote ?? ''),
        ...(proved ?? claims),
        notificationKey: null,
        importedFacts: {
          ...record,
          origin: shared ? 'shared' : 'imported',
          verifiedHere: judged !== null,
          cause: judged === null ? record.cause : null,
        },
      },
      body,
      isGiven: true,
    })
    if (origin === 'composed' && name !== null)
      await this.#deps.store.write('nameRequest', { seq, name, ifTaken: 'number' })
    return seq
  }

  /** Adds throw-away hooks and environments; returns the lines whose environment is missing. */
  async #addSigners(signers: Batch['signers']): Promise<Batch['refused']> {
    const { environments, hooks } = this.#deps
    const refused: Batch['refused'] = []
    for (const { line, signer } of signers) {
      if ('sharedEnvironment' in signer) {
        await environments.addShared(signer.sharedEnvironment)
        continue
      }
      const { sharedHook } = signer
      const environment = environments.all().find(({ name }) => name === sharedHook.environment)
      if (environment !== undefined && isSharedEnvironment(environment))
        await hooks.importShared(sharedHook)
      else refused.push({ line, reason: "The hook's environment isn't in the file before it." })
    }
    return refused
  }

  async #importAll({ read, signers, ...batch }: Batch): Promise<ImportedLines> {
    const refused = [...batch.refused, ...(await this.#addSigners(signers))]
    const stored = new Set(await this.#deps.store.read('existingIds', [...read.keys()]))
    const fresh = [...read.values()].filter(({ record }) => !stored.has(record.id))
    await this.#deps.store.pace.rest()
    const knownHooks = new Set(this.#deps.hooks.list().map(({ id }) => id))
    const judgements: (Judgement | null)[] = []
    for (const one of fresh) {
      judgements.push(await this.#judge(one))
      await nextTurn()
    }
    const taken = await Promise.allSettled(
      fresh.map((one, index) => this.#store(one, judgements[index] ?? null, knownHooks)),
    )
    const seqs = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await this.#report(seqs)
    // Stored deliveries are complete; a second import adds the rest.
    const failure = taken.find((one) => one.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    return { ...batch, refused, imported: seqs.length, known: batch.repeated + stored.size }
  }

  async #report(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return
    await this.#deps.store.settled(SETTLED_PATIENCE_MS)
    for (const seq of seqs) this.#deps.hub.emit('delivery.imported', seq)
  }

  #streamOf(name: string | null): ImportStream {
    if (name === null) return new ImportStream(this.#deps.ids.next(), this.#deps.bodyLimit())
    const stream = this.#streams.take(name)
    if (stream !== undefined) return stream
    throw new AppError(
      'INVALID_INPUT',
      'This import is no longer available: others started, or it rested too long. Import the file again: nothing is imported twice.',
    )
  }
}
