/** Export of deliveries piece by piece, oldest first. */
import {
  type ExportFormat,
  EXPORT_CHUNK_DELIVERIES,
  type TestLanguage,
} from '../contract/nouns/exchange.ts'
import type { OutputOf } from '../contract/contract.ts'
import type { SharingReport } from '../model/sharing.ts'
import { bytesOfByteText, byteTextOfBase64 } from '../text/byte-text.ts'
import { parseQuery } from '../query/parse.ts'
import { asksForUnverified } from '../query/selected-values.ts'
import { handlerTestFrame } from '../snippets/handler-test.ts'
import type { Client } from '../rpc/client.ts'
import { readSeqsInParts } from '../rpc/delivery-seqs.ts'
import { BYTE_ORDER_MARK, CSV_FIELDS, CSV_LINE_END, csvLine } from './csv.ts'

export interface ExportRequest {
  readonly query: string
  readonly seqs: readonly number[] | null
  readonly format: ExportFormat
  readonly language?: TestLanguage
  /** Columns of CSV from the body, and whether it begins with a byte order mark. */
  readonly columns?: readonly string[]
  readonly bom?: boolean
  readonly includeSecrets: boolean
}

export interface ExportProgress {
  readonly done: number
  readonly total: number
}

/** Text before, between and after deliveries. */
interface Frame {
  readonly begin: string
  readonly between: string
  readonly end: string
}

function frameOf(
  { format, language = 'node', includeSecrets, columns = [], bom = false }: ExportRequest,
  version: string,
): Frame {
  switch (format) {
    case 'jsonl':
      return { begin: '', between: '\n', end: '\n' }
    case 'har': {
      const creator = JSON.stringify({ name: 'Countersign', version })
      return {
        begin: `{"log":{"version":"1.2","creator":${creator},"entries":[\n`,
        between: ',\n',
        end: '\n]}}\n',
      }
    }
    case 'csv':
      return {
        begin: `${bom ? BYTE_ORDER_MARK : ''}${csvLine([...CSV_FIELDS, ...columns])}${CSV_LINE_END}`,
        between: CSV_LINE_END,
        end: CSV_LINE_END,
      }
    case 'curl': {
      const secretNote = includeSecrets
        ? 'It contains the hook secrets in plain text.'
        : "Set WEBHOOK_SECRET to the hook's secret first."
      return {
        begin: `#!/bin/sh\n# Re-signs each delivery when run. ${secretNote}\n\n`,
        between: '\n\n',
        end: '\n',
      }
    }
    case 'test':
      return handlerTestFrame(language)
  }
}

async function seqsOf(
  client: Client,
  { query, seqs: given }: Pick<ExportRequest, 'query' | 'seqs'>,
  signal: AbortSignal,
): Promise<readonly number[]> {
  if (given !== null) return given.toSorted((one, other) => one - other)
  const all: number[] = []
  for await (const { seqs } of readSeqsInParts(client, { query, descending: false }, signal))
    for (const seq of seqs ?? []) all.push(seq)
  return all
}

/** Yields the file's text piece by piece; rejects with `CANCELLED` once the signal aborts. */
export async function* exportPages(
  client: Client,
  request: ExportRequest,
  signal: AbortSignal,
): AsyncGenerator<ExportProgress & { readonly text: string }> {
  const { query, seqs, format, language, columns = [], includeSecrets } = request
  const { version } = await client.call('app.status', {}, { signal })
  const { begin, between, end } = frameOf(request, version)
  const all = await seqsOf(client, request, signal)
  const unverified = seqs !== null || asksForUnverified(parseQuery(query))
  const total = all.length
  let done = 0
  yield { text: begin, done, total }
  for (let at = 0; at < total;) {
    const { entries, count } = await client.call(
      'exchange.export',
      {
        seqs: all.slice(at, at + EXPORT_CHUNK_DELIVERIES),
        format,
        language,
        columns: [...columns],
        unverified,
        includeSecrets,
      },
      { signal },
    )
    at += count
    if (entries.length === 0) continue
    const text = (done === 0 ? '' : between) + entries.join(between)
    done += entries.length
    yield { text, done, total }
  }
  // Without deliveries, there is no line to end.
  yield { text: done === 0 && ['jsonl', 'csv'].includes(format) ? '' : end, done, total }
}

export interface ShareRequest extends Pick<ExportRequest, 'query' | 'seqs'> {
  readonly preview: boolean
  readonly keep: readonly string[]
  readonly replace: readonly string[]
  readonly shiftMs: number
  /** Passphrase that encrypts the capture; null for none. */
  readonly passphrase: string | null
}

export interface SharedPage extends ExportProgress {
  readonly text: string | Uint8Array<ArrayBuffer>
  /** Number of deliveries in the capture so far. */
  readonly shared: number
  readonly report: SharingReport
}

/** Yields a shareable capture piece by piece; rejects with `CANCELLED` once the signal aborts. */
export async function* sharePages(
  client: Client,
  { query, seqs, preview, keep, replace, shiftMs, passphrase }: ShareRequest,
  signal: AbortSignal,
): AsyncGenerator<SharedPage> {
  const all = await seqsOf(client, { query, seqs }, signal)
  const options = { preview, keep: [...keep], replace: [...replace], shiftMs, passphrase }
  const total = all.length
  let stream: string | null = null
  let shared = 0
  let at = 0
  do {
    const piece = all.slice(at, at + EXPORT_CHUNK_DELIVERIES)
    const ends = at + piece.length === total
    const input = { ...options, stream, seqs: piece, ends }
    const response: OutputOf<'exchange.share'> = await client.call('exchange.share', input, {
      signal,
    })
    stream = response.stream
    at += response.count
    shared += response.shared
    const { entries, encrypted, report } = response
    const text =
      encrypted === null
        ? entries.map((entry) => `${entry}\n`).join('')
        : bytesOfByteText(byteTextOfBase64(encrypted) ?? '')
    yield { text, done: at, total, shared, report }
  } while (at < total)
}
