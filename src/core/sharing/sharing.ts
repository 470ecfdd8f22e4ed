/** Makes shareable captures, each fed piece by piece; its key is never stored. */
import type { OutputOf, ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  type Omission,
  type ReplacedKind,
  replacedKinds,
  type SharingReport,
} from '../../shared/model/sharing.ts'
import { isCredentialHeader } from '../../shared/service/credential-headers.ts'
import { MASK } from '../../shared/text/masked-places.ts'
import type { Deps } from '../base/deps.ts'
import { WaitingStreams } from '../base/waiting-streams.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { PIECE_CHARACTERS } from '../import-export/exporter.ts'
import { maskingOf, type KnownSecretsDeps } from '../import-export/known-secrets.ts'
import type { Store } from '../store/store.ts'
import { pathPattern } from '../../shared/diff/path-pattern.ts'
import type { CaptureEncryption } from './capture-encryption.ts'
import { Placeholders } from './placeholders.ts'
import { readPathRules } from './path-rules.ts'
import type { Replacement, SharingTools } from './share-body.ts'
import { createHeaderSharing } from './share-headers.ts'
import type { SigningDeps } from './resign.ts'
import { shareDelivery, type DeliverySharing } from './share-delivery.ts'
import { ThrowAwaySigners } from './throw-away-signers.ts'

export interface SharingDeps
  extends SigningDeps, KnownSecretsDeps, Pick<Deps, 'clock' | 'ids' | 'dataFolder'> {
  readonly store: Pick<Store, 'read' | 'settled' | 'pace'>
  readonly encryption: Pick<CaptureEncryption, 'encrypt'>
  randomBytes(count: number): Uint8Array
}

type SharingPiece = ParsedInputOf<'exchange.share'> & { readonly signal: AbortSignal }

const KEY_BYTES = 32
const MOST_EXAMPLES = 10
/** Examples kept of each kind, so that a report can show all kinds. */
const EXAMPLES_PER_KIND = 2
/** Deliveries shared at once, so that one is searched for mistakes while others are replaced. */
const AT_ONCE = 4

/** Capture in progress, with its replaced values. */
interface SharedCapture {
  readonly sharing: DeliverySharing
  readonly counts: Map<ReplacedKind, number>
  readonly examples: Map<ReplacedKind, SharingReport['examples']>
  readonly leftOut: Map<Omission, number>
}

function addTo<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function noteReplacement(
  { counts, examples }: Omit<SharedCapture, 'sharing'>,
  { kind, where, before, after }: Replacement,
): void {
  addTo(counts, kind)
  const ofKind = examples.get(kind) ?? []
  if (ofKind.length >= EXAMPLES_PER_KIND || ofKind.some((one) => one.before === before)) return
  examples.set(kind, [...ofKind, { kind, where: where(), before, after }])
}

export class CaptureSharing {
  readonly #deps: SharingDeps
  readonly #captures: WaitingStreams<SharedCapture>

  constructor(deps: SharingDeps) {
    this.#deps = deps
    this.#captures = new WaitingStreams(deps.clock)
  }

  /**
   * Shares deliveries, of a new capture if `stream` is null. Rejects with `INVALID_INPUT` if it
   * can't continue, or if a path or `handover.json` is invalid.
   */
  async add(piece: SharingPiece): Promise<OutputOf<'exchange.share'>> {
    const { ids, store } = this.#deps
    const stream = piece.stream ?? ids.next()
    const capture = piece.stream === null ? this.#begin(piece) : this.#captures.take(piece.stream)
    if (capture === undefined)
      throw new AppError('INVALID_INPUT', 'This capture rested too long. Share it again.')
    await store.settled()
    const stored = await store.read('deliveriesBySeq', piece.seqs)
    const bySeq = new Map(stored.map((delivery) => [delivery.seq, delivery]))
    const entries: string[] = []
    let [characters, count, shared] = [0, 0, 0]
    for (; count < piece.seqs.length && characters < PIECE_CHARACTERS; count += AT_ONCE) {
      piece.signal.throwIfAborted()
      await store.pace.rest()
      const group = piece.seqs
        .slice(count, count + AT_ONCE)
        .flatMap((seq) => bySeq.get(seq) ?? [])
        .map(async (delivery) => {
          const { bytes } = await store.read('body', { seq: delivery.seq })
          return shareDelivery(capture.sharing, delivery, bytes)
        })
      for (const made of await Promise.all(group)) {
        if (typeof made === 'string') {
          addTo(capture.leftOut, made)
          continue
        }
        shared++
        const lines = [...(await capture.sharing.signers.linesOf(made.hookIds)), made.record]
        if (!piece.preview) entries.push(...lines)
        characters += lines.reduce((sum, { length }) => sum + length, 0)
      }
    }
    count = Math.min(count, piece.seqs.length)
    const report = await this.#report(capture, piece)
    const ends = piece.ends && count === piece.seqs.length
    if (!ends) this.#captures.keep(stream, capture)
    const { passphrase } = piece
    if (passphrase === null || piece.preview)
      return { stream, entries, encrypted: null, count, shared, report }
    const text = entries.map((entry) => `${entry}\n`).join('')
    const encrypted = await this.#deps.encryption.encrypt({ stream, passphrase, text, ends })
    return { stream, entries: [], encrypted, count, shared, report }
  }

  #begin({ keep, replace, shiftMs }: SharingPiece): SharedCapture {
    const { dataFolder, environments } = this.#deps
    const placeholders = new Placeholders(this.#deps.randomBytes(KEY_BYTES))
    const prefixes = knownPrefixes(environments)
    const noted = { counts: new Map(), examples: new Map(), leftOut: new Map() }
    const tools: SharingTools = {
      placeholders,
      shiftMs,
      note: (made) => noteReplacement(noted, made),
    }
    return {
      ...noted,
      sharing: {
        deps: this.#deps,
        prefixes,
        paths: readPathRules(dataFolder, { keep, replace }),
        tools,
        shareHeaders: createHeaderSharing(prefixes, tools),
        signers: new ThrowAwaySigners(this.#deps, placeholders),
      },
    }
  }

  async #report(
    { counts, examples, leftOut, sharing }: SharedCapture,
    { keep, replace }: SharingPiece,
  ): Promise<SharingReport> {
    const masking = await maskingOf(this.#deps, 'credentials')
    const kinds = replacedKinds.filter((kind) => counts.has(kind))
    const chosen = Array.from({ length: EXAMPLES_PER_KIND }, (_, index) =>
      kinds.flatMap((kind) => examples.get(kind)?.[index] ?? []),
    ).flat()
    return {
      replaced: kinds.map((kind) => ({ kind, count: counts.get(kind) ?? 0 })),
      examples: chosen.slice(0, MOST_EXAMPLES).map((example) => ({
        ...example,
        before:
          example.kind === 'header' && isCredentialHeader(example.where, example.before)
            ? MASK
            : masking.text(example.before),
      })),
      leftOut: [...leftOut].map(([reason, count]) => ({ reason, count })),
      unused: [...keep, ...replace].filter((path) => !sharing.paths.used.has(pathPattern(path))),
    }
  }
}
