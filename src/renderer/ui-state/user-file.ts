/** Files of the user: chosen or dropped in the page, or opened through the desktop host. */
import { FILE_CHUNK_BYTES, type OpenedFile } from '../../shared/contract/native.ts'
import { CHOSEN_EXTENSIONS, type FileKind } from '../../shared/model/file-kind.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { concatenated, fromBase64 } from '../core-data/bytes.ts'
import { sentenceOf } from '../core-data/act.ts'

export interface UserFile {
  readonly name: string
  /** Bytes when it was opened. */
  readonly size: number
  /** Reads the file's present content in pieces, never the whole file at once. */
  pieces(): AsyncIterable<Uint8Array>
  /** Resolves with the time of the last change in milliseconds; null if unknown. */
  readonly changedAt: (() => Promise<number>) | null
}

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      if (value !== undefined) yield value
    }
  } finally {
    // The consumer may have stopped early.
    await reader.cancel()
  }
}

export function browserFile(file: File): UserFile {
  return { name: file.name, size: file.size, pieces: () => piecesOf(file), changedAt: null }
}

/** Used part of a file handle, which not every browser supports. */
export interface FileHandle {
  getFile(): Promise<File>
}

/** Returns a file that the page can read again after a change. */
export async function fileOfHandle(handle: FileHandle): Promise<UserFile> {
  const { name, size } = await handle.getFile()
  return {
    name,
    size,
    async *pieces() {
      yield* piecesOf(await handle.getFile())
    },
    changedAt: async () => (await handle.getFile()).lastModified,
  }
}

type NativeClient = Pick<Client, 'callNative'>

export function desktopFile(client: NativeClient, { handle, name, size }: OpenedFile): UserFile {
  return {
    name,
    size,
    async *pieces() {
      for (let offset = 0; ; offset += FILE_CHUNK_BYTES) {
        const piece = fromBase64(
          (await client.callNative('native.readFile', { handle, offset })).base64,
        )
        if (piece.length > 0) yield piece
        if (piece.length < FILE_CHUNK_BYTES) return
      }
    },
    changedAt: async () => (await client.callNative('native.lookAtFile', { handle })).changedAt,
  }
}

/** Returns a file's text; rejects with `tooLarge` above `most` bytes. */
export async function fileText(
  file: Pick<UserFile, 'pieces'>,
  most: number,
  tooLarge: Error,
): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of file.pieces()) {
    size += piece.length
    if (size > most) throw tooLarge
    pieces.push(piece)
  }
  return new TextDecoder().decode(concatenated(pieces))
}

const refusals = new Set(['NotAllowedError', 'SecurityError'])

/**
 * Returns the message for a failed choice or read of a file; the browser's own is for developers.
 */
export function fileSentenceOf(error: unknown): string {
  if (!(error instanceof DOMException)) return sentenceOf(error)
  return refusals.has(error.name)
    ? 'The browser blocked access to the file. Choose it again, or drop it on the page.'
    : "Couldn't read the file. It changed, was moved, or is a folder."
}

export function acceptedExtensions(kind: FileKind): string {
  return CHOSEN_EXTENSIONS[kind].map((extension) => `.${extension}`).join(',')
}
