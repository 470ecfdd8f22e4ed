/**
 * Where a command writes: data to stdout, everything else to stderr. All of it is made printable here, so that no command can forget
 * to; only bytes that go to a file or a pipe stay as they are. Colours are for people.
 */
import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { printableLines, printableText } from '../shared/text/printable.ts'

const colours = { green: 32, red: 31, yellow: 33, grey: 90, bold: 1 } as const
export type Colour = keyof typeof colours

export interface Output {
  /** A line of data, or several; made printable but for the colours that `colour` gave it. */
  line(text: string): void
  /** One JSON value on one line. JSON escapes control characters but for those above U+007E, which are escaped here. */
  json(value: unknown): void
  /**
   * Bytes as they are to a file or a pipe, as printable text to a terminal. Resolves when they have been taken, or nobody is there any
   * more who would.
   */
  bytes(bytes: Uint8Array): Promise<void>
  /** For the person at the terminal, on stderr; made printable. */
  note(text: string): void
  /** A part of a `line` in a color. */
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
  const isTerminal = stdout.isTTY === true
  const isColoured = isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  // A mark that no stored text can contain: the terminal's own codes are put in its place only after all else was spelled out.
  const mark = randomUUID()
  const marks = new RegExp(`<${mark} (\\d+)>`, 'g')
  const decoder = new TextDecoder()
  return {
    line(text) {
      stdout.write(`${printableLines(text).replace(marks, '\u001b[$1m')}\n`)
    },
    json(value) {
      stdout.write(`${printableJson(value)}\n`)
    },
    bytes: (bytes) =>
      new Promise((resolve, reject) => {
        const shown = isTerminal ? printableLines(decoder.decode(bytes, { stream: true })) : bytes
        stdout.write(shown, (error?: NodeJS.ErrnoException | null) => {
          if (error && error.code !== 'EPIPE') reject(error)
          else resolve()
        })
      }),
    note(text) {
      stderr.write(`${printableLines(text)}\n`)
    },
    colour: (text, colour) => (isColoured && colour !== null ? `<${mark} ${colours[colour]}>${text}<${mark} 0>` : text),
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
