/**
 * Writes a command's output: data to stdout, messages to stderr. Makes all text printable; bytes
 * for a file or pipe stay exact.
 */
import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { printableLines, printableText } from '../shared/text/printable.ts'
import { glyphText, type Outcome, type Tone } from '../shared/model/outcomes.ts'

/** Codes of ANSI terminals (Select Graphic Rendition). */
const colorCodes = { green: 32, red: 31, yellow: 33, grey: 90, bold: 1 } as const
export type Color = keyof typeof colorCodes

const controlCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Returns JSON that parses to the same value and contains no terminal control characters. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(controlCharacters, (character) => printableText(character))
}

export class Output {
  asJson = false
  readonly #stdout: Writable
  readonly #stderr: Writable
  readonly #isTerminal: boolean
  readonly #isColored: boolean
  /**
   * Mark of a color code, which no stored text can contain; replaced after everything else is
   * escaped.
   */
  readonly #mark = randomUUID()
  readonly #decoder = new TextDecoder()

  constructor({
    stdout,
    stderr,
    env,
  }: {
    readonly stdout: Writable & { readonly isTTY?: boolean }
    readonly stderr: Writable
    readonly env: Readonly<Record<string, string | undefined>>
  }) {
    this.#stdout = stdout
    this.#stderr = stderr
    this.#isTerminal = stdout.isTTY === true
    this.#isColored = this.#isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  }

  /** Prints a line of data, made printable except for the colors from `color`. */
  line(text: string): void {
    const marks = new RegExp(`<${this.#mark} (\\d+)>`, 'g')
    this.#stdout.write(`${printableText(text).replace(marks, '\u001b[$1m')}\n`)
  }

  lines(lines: readonly string[]): void {
    for (const line of lines) this.line(line)
  }

  /** Prints one JSON value per line, with control characters above U+007E escaped. */
  json(value: unknown): void {
    this.#stdout.write(`${printableJson(value)}\n`)
  }

  /** Prints a result: JSON, or what `show` says or prints for people. */
  result(value: unknown, show: string | (() => void)): void {
    if (this.asJson) this.json(value)
    else if (typeof show === 'string') this.line(show)
    else show()
  }

  /**
   * Writes exact bytes to a file or pipe, printable text to a terminal. Resolves once they are
   * written.
   */
  bytes(bytes: Uint8Array): Promise<void> {
    const shown = this.#isTerminal
      ? printableLines(this.#decoder.decode(bytes, { stream: true }))
      : bytes
    return new Promise((resolve, reject) => {
      this.#stdout.write(shown, (error?: NodeJS.ErrnoException | null) => {
        if (error && error.code !== 'EPIPE') reject(error)
        else resolve()
      })
    })
  }

  note(text: string): void {
    this.#stderr.write(`${printableText(text)}\n`)
  }

  /** Prints lines of data, with the cells aligned in columns. */
  table(rows: readonly (readonly Cell[])[]): void {
    this.lines(createColumns(this)(rows))
  }

  facts(rows: readonly PrintedFact[]): void {
    this.lines(printedFacts(this, rows))
  }

  /** Prints each item as a row of a table, or as a line of JSON. */
  list<Item>(
    items: readonly Item[],
    cells: (item: Item) => readonly Cell[],
    json?: (item: Item) => unknown,
  ): void {
    this.printer(cells, json)(items)
  }

  /**
   * Returns a function that prints more items; columns stay aligned.
   * @param widest Cells that the columns have room for.
   */
  printer<Item>(
    cells: (item: Item) => readonly Cell[],
    json: (item: Item) => unknown = (item) => item,
    widest?: readonly Cell[],
  ): (items: readonly Item[]) => void {
    const columns = createColumns(this)
    if (widest !== undefined) columns([widest])
    return (items) => {
      if (this.asJson) for (const item of items) this.json(json(item))
      else this.lines(columns(items.map(cells)))
    }
  }

  heading(text: string): void {
    this.line('')
    this.line(this.color(text, 'bold'))
  }

  /** Colors part of a `line`. */
  color(text: string, color: Color | null): string {
    return this.#isColored && color !== null
      ? `<${this.#mark} ${colorCodes[color]}>${text}<${this.#mark} 0>`
      : text
  }

  paint(cell: Cell): string {
    const { text, color } = styled(cell)
    return this.color(text, color ?? null)
  }
}

export function pick<Item extends object, Name extends keyof Item>(
  item: Item,
  ...names: readonly Name[]
): Pick<Item, Name> {
  return Object.fromEntries(names.map((name) => [name, item[name]])) as Pick<Item, Name>
}

/** Text of a table cell with its style. Printable before it is colored, so widths are correct. */
export interface StyledCell {
  readonly text: string
  readonly color?: Color | null
  readonly align?: 'right'
}
export type Cell = string | StyledCell

const styled = (cell: Cell): StyledCell => (typeof cell === 'string' ? { text: cell } : cell)

/** Styles a cell that matters less, such as an ID or a time. */
export function grey(text: string): StyledCell {
  return { text, color: 'grey' }
}

export function right(text: string): StyledCell {
  return { text, align: 'right' }
}

/** A name with its value; null leaves it out. */
export type PrintedFact = readonly [name: string, value: Cell | null]

export function printedFacts(
  output: Pick<Output, 'color'>,
  facts: readonly PrintedFact[],
): string[] {
  return createColumns(output)(
    facts.flatMap(([name, value]) => (value === null ? [] : [[grey(name), value]])),
  )
}

/**
 * Returns a function that aligns cells in columns; empty columns are left out, others only grow.
 */
export function createColumns(
  output: Pick<Output, 'color'>,
): (rows: readonly (readonly Cell[])[]) => string[] {
  const widths: number[] = []
  return (rows) => {
    const printable = rows.map((row) =>
      row.map(styled).map((cell) => ({ ...cell, text: printableText(cell.text) })),
    )
    for (const row of printable)
      for (const [index, { text }] of row.entries())
        widths[index] = Math.max(widths[index] ?? 0, text.length)
    return printable.map((row) =>
      row
        .map(({ text, color, align }, index) => {
          const space = ' '.repeat((widths[index] ?? 0) - text.length)
          const painted = output.color(text, color ?? null)
          if (align === 'right') return space + painted
          return index === row.length - 1 ? painted : painted + space
        })
        .filter((_, index) => (widths[index] ?? 0) > 0)
        .join('  '),
    )
  }
}

export const toneColors: Readonly<Record<Tone, Color | null>> = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  active: 'yellow',
  neutral: 'grey',
}

/**
 * Returns an outcome's colored word.
 * @param text Word to show, such as the JSON word.
 */
export function outcomeCell({ tone, word }: Outcome, text = word): StyledCell {
  return { text, color: toneColors[tone] }
}

/** Returns an outcome's colored glyph and word. */
export function markedCell(outcome: Outcome, text = outcome.word): StyledCell {
  return outcomeCell(outcome, `${glyphText[outcome.glyph]} ${text}`)
}

const PROGRESS_MS = 2_000

/** Returns a function that prints progress on stderr, at most every two seconds. */
export function createProgress({
  output,
  now,
}: {
  readonly output: Pick<Output, 'note'>
  readonly now: () => number
}): (text: () => string) => void {
  let reportedAt = now()
  return (text) => {
    if (now() - reportedAt < PROGRESS_MS) return
    reportedAt = now()
    output.note(text())
  }
}
