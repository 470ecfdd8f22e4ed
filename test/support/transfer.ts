/** Exports and imports for tests, through the contract as on the command line and in the window. */
import { exportPages, type ExportRequest } from '../../src/shared/transfer/export-pages.ts'
import { importFile, type ImportOutcome } from '../../src/shared/transfer/import-file.ts'
import type { Client } from '../../src/shared/rpc/client.ts'

export const everything = { query: '', ids: null, includeSecrets: true } as const

export async function exported(
  client: Client,
  request: Omit<ExportRequest, 'format'> & Partial<ExportRequest> = everything,
): Promise<string> {
  let text = ''
  for await (const piece of exportPages(
    client,
    { format: 'jsonl', ...request },
    new AbortController().signal,
  ))
    text += piece.text
  return text
}

export async function imported(client: Client, text: string): Promise<ImportOutcome> {
  let outcome: ImportOutcome | null = null
  for await (const so of importFile(client, piecesOf(text), new AbortController().signal))
    outcome = so
  if (outcome === null) throw new Error('The import reported nothing.')
  return outcome
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text))
}
