/** Files of the user: chosen or dropped in the page, or opened through the desktop host. Each is read in the same way. */
import { OPENED_PIECE, type OpenedFile } from '../../shared/contract/native.ts'
import { CHOSEN_EXTENSIONS, type FileKind } from '../../shared/model/file-kind.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { concatenated, fromBase64 } from '../ui/bytes.ts'
import type { FeatureTools } from './feature-tools.ts'
import { sentenceOf } from '../core-data/act.ts'

export interface UserFile {
  readonly name: string
  /** In bytes, when it was opened. */
  readonly size: number
  /** Reads the file as it is now in pieces, never the whole file at once. */
  pieces(): AsyncIterable<Uint8Array>
  /** Time of the last change in milliseconds; null if unknown. */
  readonly changedAt: (() => Promise<number>) | null
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

export function browserFile(file: File): UserFile {
  return { name: file.name, size: file.size, pieces: () => piecesOf(file), changedAt: null }
}

/** The part of a file handle used here. Not every browser supports it. */
export interface FileHandle {
  getFile(): Promise<File>
}

/** A file that the browser lets the page read again after a change. */
export async function handleFile(handle: FileHandle): Promise<UserFile> {
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
      for (let offset = 0; ; offset += OPENED_PIECE) {
        const piece = fromBase64(
          (await client.callNative('native.readFile', { handle, offset })).base64,
        )
        if (piece.length > 0) yield piece
        if (piece.length < OPENED_PIECE) return
      }
    },
    changedAt: async () => (await client.callNative('native.lookAtFile', { handle })).changedAt,
  }
}

/** The whole file as text. Rejects with `tooLarge` if it has more than `most` bytes, which it may have grown to since it was opened. */
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

/** The message to show for an error while choosing or reading a file. The browser's own ones are written for developers. */
export function fileSentenceOf(error: unknown): string {
  if (!(error instanceof DOMException)) return sentenceOf(error)
  return refusals.has(error.name)
    ? 'The browser blocked access to the file. Choose it again, or drop it on the page.'
    : "Couldn't read the file. It changed, was moved, or is a folder."
}

/** The extensions of a kind, as in the `accept` attribute. */
export function acceptedExtensions(kind: FileKind): string {
  return CHOSEN_EXTENSIONS[kind].map((extension) => `.${extension}`).join(',')
}

export type FilesSlice = ReturnType<typeof createFilesSlice>

export function createFilesSlice({ client, capabilities, notify }: FeatureTools<object>) {
  return {
    /**
     * Asks for a file with the system's dialog, and resolves with null if the user cancels. Null in
     * a browser: the page asks.
     */
    choose: capabilities.desktop
      ? async (kind: FileKind) => {
          const { file } = await client.callNative('native.chooseFile', { kind })
          return file === null ? null : desktopFile(client, file)
        }
      : null,
    /** Shows why a file couldn't be opened. */
    notOpened(error: unknown) {
      notify({ tone: 'bad', title: "Couldn't open the file", message: fileSentenceOf(error) })
    },
  }
}
