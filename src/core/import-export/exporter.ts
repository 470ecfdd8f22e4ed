/** Exports deliveries in pieces, with one delivery in memory. */
import { hash } from 'node:crypto'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { CurlTrust } from '../../shared/snippets/curl-trust.ts'
import { DEFAULT_PREFIX, signedPrefixes } from '../../shared/service/header-names.ts'
import { handlerTest } from '../../shared/snippets/handler-test.ts'
import { secretNames } from '../../shared/snippets/secret-names.ts'
import { SECRET_VARIABLE } from '../../shared/snippets/snippet.ts'
import type { Store } from '../store/store.ts'
import type { Masking } from './masking.ts'
import { writeRecord } from './record.ts'
import { maskingOf, type KnownSecretsDeps } from './known-secrets.ts'
import { maskedDelivery, maskingFor } from './masked-records.ts'
import { writeCsv } from './csv-entry.ts'
import { writeCurl } from './curl-entry.ts'
import { writeHarEntry } from './har-entry.ts'

interface ExporterDeps extends KnownSecretsDeps {
  readonly store: Pick<Store, 'read' | 'settled' | 'pace'>
  readonly hooks: Pick<Hooks, 'list' | 'secretsOf' | 'reveal'>
  curlTrust(): CurlTrust
}

interface ExportPiece extends ParsedInputOf<'exchange.export'> {
  readonly signal: AbortSignal
}

/** Characters written between two pauses of the receiver's thread. */
export const PIECE_CHARACTERS = 262_144

/** Writes the first deliveries of a piece; `count` says how many were read. */
export async function exportPiece(
  deps: ExporterDeps,
  piece: ExportPiece,
): Promise<{ readonly entries: string[]; readonly count: number }> {
  const { store } = deps
  await store.settled()
  await store.pace.rest()
  const masking = await maskingOf(deps, piece.includeSecrets ? 'none' : 'strict')
  const stored = await store.read('deliveriesBySeq', piece.seqs)
  const bySeq = new Map(stored.map((delivery) => [delivery.seq, delivery]))
  const entries: string[] = []
  let characters = 0
  let count = 0
  for (const seq of piece.seqs) {
    if (characters > PIECE_CHARACTERS) break
    piece.signal.throwIfAborted()
    count++
    const delivery = bySeq.get(seq)
    const entry = delivery && (await writeEntry(deps, delivery, masking, piece))
    if (entry == null) continue
    entries.push(entry)
    characters += entry.length
  }
  return { entries, count }
}

/** Writes a delivery; null if the format can't express it. */
async function writeEntry(
  deps: ExporterDeps,
  whole: Delivery,
  known: Masking,
  piece: ExportPiece,
): Promise<string | null> {
  const masking = maskingFor(whole, known)
  const { bytes } = await deps.store.read('body', { seq: whole.seq })
  const body = await masking.body(bytes, whole.headers, whole.truncated)
  const delivery: Delivery = {
    ...maskedDelivery(whole, known),
    ...(body === bytes || whole.truncated
      ? {}
      : { bodySize: body.length, bodySha256: hash('sha256', body, 'hex') }),
  }
  switch (piece.format) {
    case 'jsonl':
      return writeRecord(delivery, body)
    case 'har':
      return writeHarEntry(delivery, body)
    case 'csv':
      return writeCsv(delivery, body, piece.columns)
    case 'curl': {
      const hook = deps.hooks.list().find(({ id }) => id === whole.hookId)
      const isSigned = hook !== undefined && piece.includeSecrets
      return writeCurl(delivery, body, {
        prefixes: knownPrefixes(deps.environments),
        trust: deps.curlTrust(),
        hookUrl: hook === undefined ? null : masking.text(hook.url),
        secret: isSigned ? await deps.hooks.reveal(hook.id) : null,
      })
    }
    case 'test':
      return writeTest(deps, delivery, body, masking, piece)
  }
}

/**
 * Writes a test; null for a request that can't be sent again (section 4.4) or, without
 * `unverified`, that isn't known to be valid.
 */
function writeTest(
  deps: ExporterDeps,
  delivery: Delivery,
  body: Uint8Array,
  masking: Masking,
  { language, unverified }: Pick<ExportPiece, 'language' | 'unverified'>,
): string | null {
  const { id, seq, method, malformed, truncated, headers, receivedAt, verdict } = delivery
  if (method !== 'POST' || malformed !== null || truncated) return null
  const hooks = deps.hooks.list()
  const hook = hooks.find((one) => one.id === delivery.hookId)
  if (!unverified && (verdict !== 'valid' || hook === undefined)) return null
  const active = hooks.filter(({ status }) => status === 'active')
  const environment = deps.environments.all().find(({ name }) => name === delivery.environment)
  const event = delivery.event ?? 'delivery'
  return handlerTest(language, {
    event,
    seq,
    title: `${event} ${id}, received ${receivedAt}`,
    registeredUrl: hook === undefined ? null : masking.text(hook.url),
    secretName:
      hook === undefined
        ? SECRET_VARIABLE
        : (secretNames(active)[active.indexOf(hook)] ?? secretNames([hook])[0]!),
    prefix: signedPrefixes(headers)[0] ?? environment?.prefix ?? DEFAULT_PREFIX,
    headers,
    body,
    ack: environment?.ack ?? '200',
  })
}
