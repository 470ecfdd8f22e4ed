/**
 * Exports deliveries piece by piece. The caller continues from the end of the previous piece, so exporting a million deliveries
 * keeps only one piece in memory, and stops when the caller does. Yields to the receiver.
 */
import { hash } from 'node:crypto'
import type { ExportFormat } from '../../shared/contract/nouns/exchange.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Query } from '../../shared/query/query.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { type CurlTrust, curlCertificateOptions, replayCurl } from '../../shared/snippets/curl.ts'
import type { Store } from '../store/store.ts'
import { writeHarEntry, addressOf } from './har-entry.ts'
import {
  maskingOf,
  maskedDelivery,
  maskingFor,
  type KnownHandlers,
  type Masking,
} from './masking.ts'
import { writeRecord } from './record.ts'
import { printableText } from '../../shared/text/printable.ts'

interface ExporterDeps {
  readonly store: Pick<Store, 'read' | 'search' | 'settled' | 'pace'>
  readonly hooks: Pick<Hooks, 'list' | 'secretsOf' | 'reveal'>
  readonly environments: Pick<Environments, 'all' | 'openKey'>
  readonly savedHandlers: KnownHandlers
  curlTrust(): CurlTrust
}

interface ExportPiece {
  /** Exports these deliveries instead of the query's matches. */
  readonly ids: readonly string[] | undefined
  readonly query: Query
  readonly from: number | undefined
  readonly to: number | undefined
  readonly format: ExportFormat
  readonly includeSecrets: boolean
  readonly signal: AbortSignal
}

/** Approximate characters per piece, written between two pauses on the receiver's thread. */
const PIECE_CHARACTERS = 262_144
const PIECE_DELIVERIES = 64
/** Bodies can be as large as the receiver's limit; this reads any of them in one piece. */
const WHOLE = Number.MAX_SAFE_INTEGER

/** Returns the entries of a piece, oldest first, and the seq to continue from. */
export async function exportPiece(
  deps: ExporterDeps,
  piece: ExportPiece,
): Promise<{ readonly entries: string[]; readonly next: number | null }> {
  const { store } = deps
  await store.settled()
  await store.pace.rest()
  const seqs = await seqsOf(deps, piece)
  const masking = await maskingOf(deps, piece.includeSecrets ? 'none' : 'strict')
  const deliveries = await store.read('bySeq', seqs.slice(0, PIECE_DELIVERIES))
  const entries: string[] = []
  let characters = 0
  for (const delivery of deliveries.toReversed()) {
    if (characters > PIECE_CHARACTERS) return { entries, next: delivery.seq }
    piece.signal.throwIfAborted()
    const entry = await writeEntry(deps, delivery, masking, piece)
    if (entry === null) continue
    entries.push(entry)
    characters += entry.length
  }
  return { entries, next: seqs[PIECE_DELIVERIES] ?? null }
}

/** Oldest first. */
async function seqsOf(
  { store }: ExporterDeps,
  { ids, query, from, to = 0, signal }: ExportPiece,
): Promise<number[]> {
  if (ids === undefined)
    return (await store.search.find(query, { from, to, signal })).seqs.toReversed()
  const marked = await store.read('marked', { ids, identified: false })
  return marked
    .map(({ seq }) => seq)
    .filter((seq) => seq >= to)
    .sort((a, b) => a - b)
}

/** Null if the format can't express the delivery. */
async function writeEntry(
  deps: ExporterDeps,
  whole: Delivery,
  known: Masking,
  piece: ExportPiece,
): Promise<string | null> {
  const masking = maskingFor(whole, known)
  const { bytes } = await deps.store.read('body', { seq: whole.seq, offset: 0, length: WHOLE })
  const body = await masking.body(bytes, whole.headers)
  const delivery: Delivery = {
    ...maskedDelivery(whole, known),
    // Hash of the body in the file, so that an import can verify it.
    ...(body === bytes || whole.truncated
      ? {}
      : { bodySize: body.length, bodySha256: hash('sha256', body, 'hex') }),
  }
  switch (piece.format) {
    case 'jsonl':
      return writeRecord(delivery, body)
    case 'har':
      return writeHarEntry(delivery, body)
    case 'curl':
      return writeCurl(
        delivery,
        body,
        await surroundingsOf(deps, delivery, masking, piece.includeSecrets),
      )
  }
}

async function surroundingsOf(
  deps: ExporterDeps,
  { hookId }: Delivery,
  masking: Masking,
  includeSecrets: boolean,
) {
  const hook = deps.hooks.list().find(({ id }) => id === hookId)
  return {
    prefixes: knownPrefixes(deps.environments),
    trust: deps.curlTrust(),
    hookUrl: hook === undefined ? null : masking.text(hook.url),
    secret: hook !== undefined && includeSecrets ? await deps.hooks.reveal(hook.id) : null,
  }
}

// A delivery as a shell command that re-signs it when run and sends it to its hook's registered URL. Without a matching hook it is
// sent as captured.

interface CurlContext {
  readonly prefixes: readonly string[]
  /** Registered URL of the delivery's hook; null if unknown. */
  readonly hookUrl: string | null
  /** In plain text; null reads it from the shell's environment. */
  readonly secret: string | null
  readonly trust: CurlTrust
}

/** The command, on several lines if needed; a comment if the delivery can't be sent again. */
export function writeCurl(
  delivery: Delivery,
  body: Uint8Array,
  { prefixes, hookUrl, secret, trust }: CurlContext,
): string {
  // Always one line: a second line would run as a command.
  const title = printableText(
    `# ${delivery.event ?? 'delivery'} ${delivery.id}, received ${delivery.receivedAt}`,
  )
  const notes = [
    ...(delivery.truncated
      ? [`# Only the first ${body.length} of ${delivery.bodySize} bytes of its body were stored.`]
      : []),
    ...(hookUrl === null ? ['# No hook matches it: it is sent with its original signature.'] : []),
  ]
  if (delivery.malformed !== null || delivery.method === null)
    return [title, "# This request can't be sent again."].join('\n')
  const target = hookUrl ?? addressOf(delivery)
  const command = replayCurl({
    target,
    method: delivery.method,
    headers: delivery.headers,
    body,
    signedUrl: hookUrl,
    timestamp: null,
    prefixes,
    secret,
    options: curlCertificateOptions(target, trust),
  })
  return [title, ...notes, command].join('\n')
}
