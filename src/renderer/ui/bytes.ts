/** Bytes: in the encodings used between core and window, as rows in hex, and saved as a file. */

/** Bytes from the core, read in pieces. */
export interface LoadedBytes {
  /** The bytes read so far. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Size of all stored bytes. */
  readonly size: number
  readonly loading: boolean
}

export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return bytes
}

export function concatenated(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** One byte per character, as in stored headers. */
export function fromLatin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff)
}

// In hex, sixteen to a row.

const BYTES_PER_ROW = 16

interface HexRow {
  readonly offset: string
  readonly hex: string
  readonly characters: string
}

export function hexRowCount(size: number): number {
  return Math.ceil(size / BYTES_PER_ROW)
}

export function hexRow(bytes: Uint8Array, index: number): HexRow {
  const start = index * BYTES_PER_ROW
  const row = bytes.subarray(start, start + BYTES_PER_ROW)
  const cells = Array.from(row, (byte) => byte.toString(16).padStart(2, '0'))
  return {
    offset: start.toString(16).padStart(8, '0'),
    hex: `${cells.slice(0, 8).join(' ')}${cells.length > 8 ? '  ' : ' '}${cells.slice(8).join(' ')}`.padEnd(
      48,
    ),
    characters: Array.from(row, (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·',
    ).join(''),
  }
}

export function hexText(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let index = 0; index < hexRowCount(bytes.length); index++) {
    const row = hexRow(bytes, index)
    lines.push(`${row.offset}  ${row.hex}  ${row.characters}`)
  }
  return lines.join('\n')
}

/** Saves bytes as a file through the browser's download. */
export function saveBytes(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  saveBlob(new Blob([bytes], { type: 'application/octet-stream' }), name)
}

/** The same for a blob, which is never in memory as a whole. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has read the URL by the time the next task runs.
  setTimeout(() => URL.revokeObjectURL(address), 1_000)
}
