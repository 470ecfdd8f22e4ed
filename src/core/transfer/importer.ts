/**
 * Imports deliveries that were received elsewhere: their bytes and the file's claims. A claimed verdict counts only once a known
 * hook's secret reproduces the signature, and a hook named in the file signs nothing. A delivery with a known ID is left unchanged.
 * Imported deliveries are never forwarded and never count as attempts of local notifications.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OutputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { IMPORTED } from '../../shared/model/delivery.ts'
import { AROUND_BODY, longestLine, tooLongReason } from '../../shared/transfer/import-file.ts'
import { createMutex } from '../base/async.ts'
import type { Clock, Ids } from '../base/deps.ts'
import { collectYoung } from '../base/threads/memory.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { belongingTo, type RegisteredHook, type Registry } from '../hooks/registry.ts'
import type { Store } from '../store/store.ts'
import type { EventHub } from '../base/event-hub.ts'
import { createLineReader, readRecord, type LineReader, type ReadableRecord } from './record.ts'

/** How long an import waits for its stored deliveries to be described. */
const SETTLED_PATIENCE_MS = 10_000

export interface ImporterDeps {
  readonly store: Pick<Store, 'read' | 'capture' | 'settled' | 'pace'>
  readonly hooks: Pick<Hooks, 'list'>
  readonly registry: Pick<Registry, 'judge'>
  readonly hub: Pick<EventHub, 'emit'>
}

export type Importer = ReturnType<typeof createImporter>

/** `repeated` counts lines whose ID appeared in an earlier line. */
function readLines(lines: readonly string[], begun: LineReader | null) {
  const read = new Map<string, ReadableRecord>()
  const refused: { line: number; reason: string }[] = []
  let repeated = 0
  for (const [line, text] of lines.entries()) {
    const reader =
      line === 0 && begun !== null
        ? begun
        : createLineReader({ line: text.length, text: text.length })
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

export function createImporter(deps: ImporterDeps) {
  const { store } = deps
  // Known IDs are looked up before storing: two parallel imports of one file would store it twice.
  const exclusive = createMutex()

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

  async function importAll({
    read,
    refused,
    repeated,
  }: ReturnType<typeof readLines>): Promise<OutputOf<'exchange.import'>> {
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
    return { imported: seqs.length, known: repeated + stored.size, refused }
  }

  async function tell(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return
    // One large body at a time: the next waits until this one is described.
    await store.settled(SETTLED_PATIENCE_MS)
    // In the order of storing, as received ones.
    for (const row of (await store.read('rowsBySeq', seqs)).toReversed())
      deps.hub.emit('delivery.imported', row)
  }

  return {
    /**
     * `begun` is the start of the first line. Rejects with `STORE_UNAVAILABLE` if not all could be stored; everything stored is then known and complete.
     */
    import(
      lines: readonly string[],
      begun: LineReader | null = null,
    ): Promise<OutputOf<'exchange.import'>> {
      // Parsed before its turn, so only the bodies wait in memory, not the lines too.
      const read = readLines(lines, begun)
      // The pieces of a long line leave garbage of the same size.
      if (begun !== null) collectYoung()
      return exclusive(() => importAll(read))
    },
  }
}

export type LongLines = ReturnType<typeof createLongLines>

const HELD_MS = 60_000

/**
 * Import lines that are longer than a message, read piece by piece. One line is kept at a time, for up to a minute, because its
 * client may be gone. `bodyLimit`, in bytes, limits the length of a line.
 */
export function createLongLines({
  clock,
  ids,
  bodyLimit,
}: {
  readonly clock: Pick<Clock, 'sleep'>
  readonly ids: Ids
  bodyLimit(): number
}) {
  let held: {
    readonly name: string
    readonly reader: LineReader
    length: number
    expiry: AbortController
  } | null = null

  const drop = () => {
    held?.expiry.abort()
    held = null
  }
  const heldAs = (name: string) => {
    if (held?.name === name) return held
    throw new AppError(
      'INVALID_INPUT',
      'The start of this line is no longer available: another import started, or this one took too long. Import the file again.',
    )
  }

  return {
    /** Adds a piece; null starts a line. Returns the name to continue with. Throws `INVALID_INPUT` if it can't continue. */
    add(begun: string | null, text: string) {
      if (begun === null) {
        drop()
        const reader = createLineReader({ line: longestLine(bodyLimit()), text: AROUND_BODY })
        held = { name: ids.next(), reader, length: 0, expiry: new AbortController() }
      }
      const line = heldAs(begun ?? held?.name ?? '')
      line.length += text.length
      const limit = bodyLimit()
      if (line.length > longestLine(limit)) {
        drop()
        throw new AppError('INVALID_INPUT', tooLongReason(limit))
      }
      line.reader.add(text)
      line.expiry.abort()
      const expiry = new AbortController()
      line.expiry = expiry
      void clock.sleep(HELD_MS, expiry.signal).then(() => {
        if (!expiry.signal.aborted && held === line) held = null
      })
      return line.name
    },
    /** Returns the line so far and releases it. Throws `INVALID_INPUT` if there is none. */
    end(begun: string): LineReader {
      const { reader } = heldAs(begun)
      drop()
      return reader
    },
  }
}
