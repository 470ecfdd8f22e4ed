/**
 * Writes a command's output: data to stdout, messages to stderr. Everything is made printable here, so no command can forget it;
 * only bytes for a file or pipe stay exact.
 */
import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { printableLines, printableText } from '../shared/text/printable.ts'
import { glyphText, type Outcome, type Tone } from '../shared/model/outcomes.ts'

const colours = { green: 32, red: 31, yellow: 33, grey: 90, bold: 1 } as const
export type Color = keyof typeof colours

const beyondJson = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** JSON that parses to the same value and contains no terminal control characters. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(beyondJson, (character) => printableText(character))
}

export class Output {
  asJson = false
  readonly #stdout: Writable
  readonly #stderr: Writable
  readonly #isTerminal: boolean
  readonly #isColoured: boolean
  /** No stored text can contain it. It becomes a color code only after everything else is escaped. */
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
    this.#isColoured = this.#isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  }

  /** A line of data, made printable except for the colors from `colour`. */
  line(text: string): void {
    const marks = new RegExp(`<${this.#mark} (\\d+)>`, 'g')
    this.#stdout.write(`${printableText(text).replace(marks, '\u001b[$1m')}\n`)
  }

  lines(lines: readonly string[]): void {
    for (const line of lines) this.line(line)
  }

  /** One JSON value per line. JSON doesn't escape control characters above U+007E, so this does. */
  json(value: unknown): void {
    this.#stdout.write(`${printableJson(value)}\n`)
  }

  /** The result of a command: JSON, or what `show` says or prints for people. */
  result(value: unknown, show: string | (() => void)): void {
    if (this.asJson) this.json(value)
    else if (typeof show === 'string') this.line(show)
    else show()
  }

  /** Exact bytes to a file or pipe, printable text to a terminal. Resolves once they are written or the reader is gone. */
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

  /** A message on stderr, made printable. */
  note(text: string): void {
    this.#stderr.write(`${printableText(text)}\n`)
  }

  /** Lines of data, with the cells aligned in columns. */
  table(rows: readonly (readonly Cell[])[]): void {
    this.lines(createColumns(this)(rows))
  }

  /** Names with their values, without those that are null. */
  facts(rows: readonly PrintedFact[]): void {
    this.lines(printedFacts(this, rows))
  }

  /** Each item as a row of a table, or as a line of JSON. */
  list<Item>(
    items: readonly Item[],
    cells: (item: Item) => readonly Cell[],
    json?: (item: Item) => unknown,
  ): void {
    this.printer(cells, json)(items)
  }

  /** Prints more items with each call, as `list` does; columns stay aligned. `widest` are cells that the columns have room for. */
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

  /** A bold title with an empty line before it. */
  heading(text: string): void {
    this.line('')
    this.line(this.colour(text, 'bold'))
  }

  /** Colors part of a `line`. */
  colour(text: string, colour: Color | null): string {
    return this.#isColoured && colour !== null
      ? `<${this.#mark} ${colours[colour]}>${text}<${this.#mark} 0>`
      : text
  }

  /** A cell as part of a `line`. */
  paint(cell: Cell): string {
    const { text, colour } = styled(cell)
    return this.colour(text, colour ?? null)
  }
}

/** Some members of an object in this order, for JSON. */
export function pick<Item extends object, Name extends keyof Item>(
  item: Item,
  ...names: readonly Name[]
): Pick<Item, Name> {
  return Object.fromEntries(names.map((name) => [name, item[name]])) as Pick<Item, Name>
}

/** A table cell's text with its style. It is made printable before it is colored, so widths are correct. */
export interface StyledCell {
  readonly text: string
  readonly colour?: Color | null
  readonly align?: 'right'
}
export type Cell = string | StyledCell

const styled = (cell: Cell): StyledCell => (typeof cell === 'string' ? { text: cell } : cell)

/** A cell that matters less, such as an ID or a time. */
export function grey(text: string): StyledCell {
  return { text, colour: 'grey' }
}

/** A number's cell. */
export function right(text: string): StyledCell {
  return { text, align: 'right' }
}

/** A name with its value; null leaves it out. */
export type PrintedFact = readonly [name: string, value: Cell | null]

/** Names with their values, aligned. */
export function printedFacts(
  output: Pick<Output, 'colour'>,
  facts: readonly PrintedFact[],
): string[] {
  return createColumns(output)(
    facts.flatMap(([name, value]) => (value === null ? [] : [[grey(name), value]])),
  )
}

/** Aligns cells in columns, without those that are still empty. Columns only grow, so later rows stay aligned with earlier ones. */
export function createColumns(
  output: Pick<Output, 'colour'>,
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
        .map(({ text, colour, align }, index) => {
          const space = ' '.repeat((widths[index] ?? 0) - text.length)
          const painted = output.colour(text, colour ?? null)
          if (align === 'right') return space + painted
          return index === row.length - 1 ? painted : painted + space
        })
        .filter((_, index) => (widths[index] ?? 0) > 0)
        .join('  '),
    )
  }
}

export const toneColours: Readonly<Record<Tone, Color | null>> = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  active: 'yellow',
  neutral: 'grey',
}

/** `text` replaces the word, for commands that print the words of their JSON. */
export function outcomeCell({ tone, word }: Outcome, text = word): StyledCell {
  return { text, colour: toneColours[tone] }
}

/** The same with a glyph. */
export function markedCell(outcome: Outcome, text = outcome.word): StyledCell {
  return outcomeCell(outcome, `${glyphText[outcome.glyph]} ${text}`)
}

/** Milliseconds between progress messages. */
const TELL_MS = 2_000

/** Prints progress on stderr, the first time after two seconds and then at most every two seconds. */
export function createProgress({
  output,
  now,
}: {
  readonly output: Pick<Output, 'note'>
  readonly now: () => number
}): (text: () => string) => void {
  let reportedAt = now()
  return (text) => {
    if (now() - reportedAt < TELL_MS) return
    reportedAt = now()
    output.note(text())
  }
}
