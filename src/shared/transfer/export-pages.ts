/**
 * An export as whoever writes it goes through it: piece by piece, oldest first, so that neither side ever holds all of it. How many
 * there are is counted before, for the progress.
 */
import type { ExportFormat } from '../contract/nouns/exchange.ts'
import type { Client } from '../rpc/client.ts'

export interface ExportRequest {
  /** A search; the empty one finds everything. */
  readonly query: string
  /** These deliveries, in place of what the search finds. */
  readonly ids: readonly string[] | null
  readonly format: ExportFormat
  readonly includeSecrets: boolean
}

export interface ExportProgress {
  readonly done: number
  readonly total: number
}

/** What stands before, between and after the deliveries of a file. */
interface Frame {
  readonly begin: string
  readonly between: string
  readonly end: string
}

/** Deliveries of one page: what one search goes through. */
const PAGE = 200

function frameOf(format: ExportFormat, version: string, includeSecrets: boolean): Frame {
  switch (format) {
    case 'jsonl':
      return { begin: '', between: '\n', end: '\n' }
    case 'har': {
      const creator = JSON.stringify({ name: 'Countersign', version })
      return { begin: `{"log":{"version":"1.2","creator":${creator},"entries":[\n`, between: ',\n', end: '\n]}}\n' }
    }
    case 'curl': {
      const how = includeSecrets ? 'The secrets stand in it in clear.' : 'Set WEBHOOK_SECRET to the secret of the hook first.'
      return { begin: `#!/bin/sh\n# Signs each delivery anew when it is run. ${how}\n\n`, between: '\n\n', end: '\n' }
    }
  }
}

interface Window {
  readonly from?: number
  readonly to?: number
}

/** Where the pages of a search lie, oldest first. */
async function windowsOf(client: Client, query: string, signal: AbortSignal): Promise<{ windows: Window[]; total: number }> {
  const { anchors, total } = await client.call('deliveries.anchors', { query, pageSize: PAGE }, { signal })
  const windows = anchors.map((from, index): Window => {
    const older = anchors[index + 1]
    return older === undefined ? { from } : { from, to: older + 1 }
  })
  return { windows: windows.toReversed(), total }
}

/** Gives the text of the file piece by piece, and how far it is; rejects with `CANCELLED` once the signal aborts. */
export async function* exportPages(
  client: Client,
  request: ExportRequest,
  signal: AbortSignal,
): AsyncGenerator<ExportProgress & { readonly text: string }> {
  const { query, ids, format, includeSecrets } = request
  const { version } = await client.call('app.status', {}, { signal })
  const { begin, between, end } = frameOf(format, version, includeSecrets)
  const { windows, total } = ids === null ? await windowsOf(client, query, signal) : { windows: [{}], total: ids.length }
  const what = ids === null ? { query } : { ids: [...ids] }
  let done = 0
  yield { text: begin, done, total }
  for (const { from, to } of windows) {
    let next: number | null = to ?? 0
    while (next !== null) {
      const input = { ...what, ...(from === undefined ? {} : { from }), to: next, format, includeSecrets }
      const piece: { entries: string[]; next: number | null } = await client.call('exchange.export', input, { signal })
      const { entries } = piece
      if (entries.length > 0) {
        const text = (done === 0 ? '' : between) + entries.join(between)
        done += entries.length
        yield { text, done, total }
      }
      next = piece.next
    }
  }
  // An empty file of lines is empty.
  yield { text: done === 0 && format === 'jsonl' ? '' : end, done, total }
}
