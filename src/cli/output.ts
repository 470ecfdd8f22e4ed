/** Where a command writes: data to stdout, everything else to stderr. Text from outside is made printable, colours are for people. */
import type { Writable } from 'node:stream'
import { printableText } from '../core/printable-text.ts'

const colours = { green: 32, red: 31, yellow: 33, grey: 90, bold: 1 } as const
export type Colour = keyof typeof colours

export interface Output {
  /** One line of data, as it is: the caller makes it printable. */
  line(text: string): void
  /** One JSON value on one line. JSON escapes control characters but for those above U+007E, which are escaped here. */
  json(value: unknown): void
  /** Bytes as they are; resolves when they have been taken, or nobody is there any more who would. */
  bytes(bytes: Uint8Array): Promise<void>
  /** For the person at the terminal, on stderr; it is made printable line by line. */
  note(text: string): void
  colour(text: string, colour: Colour | null): string
}

export interface OutputStreams {
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable
  readonly env: Readonly<Record<string, string | undefined>>
}

const beyondJson = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** JSON that parses to the same value, and that no terminal acts upon. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(beyondJson, (character) => printableText(character))
}

export function createOutput({ stdout, stderr, env }: OutputStreams): Output {
  const isColoured = stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return {
    line(text) {
      stdout.write(`${text}\n`)
    },
    json(value) {
      stdout.write(`${printableJson(value)}\n`)
    },
    bytes: (bytes) =>
      new Promise((resolve, reject) => {
        stdout.write(bytes, (error?: NodeJS.ErrnoException | null) => {
          if (error && error.code !== 'EPIPE') reject(error)
          else resolve()
        })
      }),
    note(text) {
      stderr.write(`${text.split('\n').map(printableText).join('\n')}\n`)
    },
    colour: (text, colour) => (isColoured && colour !== null ? `\u001b[${colours[colour]}m${text}\u001b[0m` : text),
  }
}

/** A cell of a table: its text is made printable, and only then coloured, so that widths stay true. */
export interface Cell {
  readonly text: string
  readonly colour?: Colour | null
  readonly align?: 'right'
}

/** Lays cells out in columns. Columns only grow, so that what is printed later stays in line with what went before. */
export function createColumns(output: Pick<Output, 'colour'>): (rows: readonly (readonly Cell[])[]) => string[] {
  const widths: number[] = []
  return (rows) => {
    const printable = rows.map((row) => row.map((cell) => ({ ...cell, text: printableText(cell.text) })))
    for (const row of printable)
      for (const [index, { text }] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, text.length)
    return printable.map((row) =>
      row
        .map(({ text, colour, align }, index) => {
          const space = ' '.repeat((widths[index] ?? 0) - text.length)
          const painted = output.colour(text, colour ?? null)
          if (align === 'right') return space + painted
          return index === row.length - 1 ? painted : painted + space
        })
        .join('  '),
    )
  }
}
