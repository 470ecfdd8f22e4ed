/** Bytes in hex, sixteen to a row. */

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
