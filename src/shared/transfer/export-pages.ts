/**
 * Writes an export piece by piece, oldest first, so that neither side ever holds all of it. Deliveries are counted first, for the
 * progress.
 */
import type { ExportFormat, TestLanguage } from '../contract/nouns/exchange.ts'
import { asksForUnverified, parseQuery } from '../query/parse.ts'
import { handlerTestFrame } from '../snippets/handler-test.ts'
import type { Client } from '../rpc/client.ts'
import { readColumn } from '../rpc/seqs.ts'

export interface ExportRequest {
  /** A query; empty matches everything. */
  readonly query: string
  /** These deliveries instead of the query's matches. */
  readonly ids: readonly string[] | null
  readonly format: ExportFormat
  /** The language of tests; Node if omitted. */
  readonly language?: TestLanguage
  readonly includeSecrets: boolean
}

export interface ExportProgress {
  readonly done: number
  readonly total: number
}

/** The text before, between and after the deliveries of a file. */
interface Frame {
  readonly begin: string
  readonly between: string
  readonly end: string
}

/** Deliveries per page, which is the range of one search. */
const PAGE = 200

function frameOf(
  { format, language = 'node', includeSecrets }: ExportRequest,
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
    case 'curl': {
      const how = includeSecrets
        ? 'It contains the hook secrets in plain text.'
        : "Set WEBHOOK_SECRET to the hook's secret first."
      return {
        begin: `#!/bin/sh\n# Re-signs each delivery when run. ${how}\n\n`,
        between: '\n\n',
        end: '\n',
      }
    }
    case 'test':
      return handlerTestFrame(language)
  }
}

interface Window {
  readonly from?: number
  readonly to?: number
}

/** The seq ranges of a search's pages, oldest first. */
async function windowsOf(
  client: Client,
  query: string,
  signal: AbortSignal,
): Promise<{ windows: Window[]; total: number }> {
  const seqs: number[] = []
  for await (const part of readColumn(client, { query, descending: false }, signal))
    for (const seq of part.seqs ?? []) seqs.push(seq)
  const pages = Array.from({ length: Math.ceil(seqs.length / PAGE) }, (_, page) =>
    seqs.slice(page * PAGE, (page + 1) * PAGE),
  )
  return {
    windows: pages.map((page) => ({ from: page.at(-1)!, to: page[0]! })),
    total: seqs.length,
  }
}

/** Yields the file's text piece by piece, with the progress; rejects with `CANCELLED` once the signal aborts. */
export async function* exportPages(
  client: Client,
  request: ExportRequest,
  signal: AbortSignal,
): AsyncGenerator<ExportProgress & { readonly text: string }> {
  const { query, ids, format, language, includeSecrets } = request
  const { version } = await client.call('app.status', {}, { signal })
  const { begin, between, end } = frameOf(request, version)
  const { windows, total } =
    ids === null ? await windowsOf(client, query, signal) : { windows: [{}], total: ids.length }
  const unverified = ids !== null || asksForUnverified(parseQuery(query))
  const what = ids === null ? { query } : { ids: [...ids] }
  let done = 0
  yield { text: begin, done, total }
  for (const { from, to } of windows) {
    let next: number | null = to ?? 0
    while (next !== null) {
      const input = {
        ...what,
        ...(from === undefined ? {} : { from }),
        to: next,
        format,
        language,
        unverified,
        includeSecrets,
      }
      const piece: { entries: string[]; next: number | null } = await client.call(
        'exchange.export',
        input,
        { signal },
      )
      const { entries } = piece
      if (entries.length > 0) {
        const text = (done === 0 ? '' : between) + entries.join(between)
        done += entries.length
        yield { text, done, total }
      }
      next = piece.next
    }
  }
  // An empty JSON Lines file is empty.
  yield { text: done === 0 && format === 'jsonl' ? '' : end, done, total }
}
