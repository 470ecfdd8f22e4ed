/** Exports and imports through the contract, as on the command line and in the window. */
import { exportPages, type ExportRequest } from '../../src/shared/import-export/export-pages.ts'
import { importFile } from '../../src/shared/import-export/import-file.ts'
import { type ImportOutcome, NOTHING_IMPORTED } from '../../src/shared/model/import-outcome.ts'
import type { Client } from '../../src/shared/rpc/client.ts'

export const everything = { query: '', seqs: null, includeSecrets: true } as const

/**
 * Exports deliveries.
 * @param ids IDs to export instead of the query's matches.
 */
export async function exported(
  client: Client,
  { ids, ...request }: Partial<ExportRequest> & { readonly ids?: readonly string[] } = {},
): Promise<string> {
  const named = ids?.map((id) => client.call('deliveries.get', { id }))
  const seqs = named === undefined ? null : (await Promise.all(named)).map(({ seq }) => seq)
  let text = ''
  for await (const piece of exportPages(
    client,
    { ...everything, format: 'jsonl', seqs, ...request },
    new AbortController().signal,
  ))
    text += piece.text
  return text
}

export async function imported(client: Client, text: string): Promise<ImportOutcome> {
  let outcome = NOTHING_IMPORTED
  for await (const so of importFile(client, piecesOf(text))) outcome = so
  return outcome
}

/** Yields pieces that end within lines and characters, after a byte order mark. */
async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = await Promise.resolve(Buffer.from(`\ufeff${text}`))
  for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007)
}
