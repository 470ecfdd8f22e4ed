/** Reads files that the user opened through the system, by the handles that the desktop host gives. */
import { OPENED_PIECE, type OpenedFile } from '../../shared/contract/native.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { concatenated, fromBase64 } from '../ui/bytes.ts'

type NativeClient = Pick<Client, 'callNative'>

/** The bytes of the file, in pieces. */
export async function* openedPieces(client: NativeClient, { handle }: Pick<OpenedFile, 'handle'>): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ; offset += OPENED_PIECE) {
    const piece = fromBase64((await client.callNative('native.readFile', { handle, offset })).base64)
    if (piece.length > 0) yield piece
    if (piece.length < OPENED_PIECE) return
  }
}

/** The whole file as text; only for files with a small limit. */
export async function openedText(client: NativeClient, file: Pick<OpenedFile, 'handle'>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of openedPieces(client, file)) pieces.push(piece)
  return new TextDecoder().decode(concatenated(pieces))
}
