/** The files that can be imported: chosen or dropped in the page, or opened through the system. */
import type { OpenedFile } from '../../../shared/contract/native.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { openedPieces } from '../../state/opened-file.ts'

export interface ImportSource {
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** Reads the file in pieces, never the whole file at once. */
  pieces(): AsyncIterable<Uint8Array>
}

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      if (value !== undefined) yield value
    }
  } finally {
    // Stop reading if the consumer stops early.
    await reader.cancel()
  }
}

export function sourceOfFile(file: File): ImportSource {
  return { name: file.name, size: file.size, pieces: () => piecesOf(file) }
}

export function sourceOfOpened(client: Pick<Client, 'callNative'>, file: OpenedFile): ImportSource {
  return { name: file.name, size: file.size, pieces: () => openedPieces(client, file) }
}
