/**
 * The rows of a text as positions in it. Nothing is copied, so ten megabytes need only a few tables of numbers. Rows longer than
 * `columns` are split, and each part knows what kind of token it begins in.
 */

/** Indentation stops growing here, so that a body nested a million levels deep stays readable. */
export const DEEPEST_INDENT = 40
/** Longest row drawn in one piece without wrapping. */
export const LONGEST_ROW = 2_000

/** What a row begins in: at a token, or inside a string, a key, or a number or word. */
export const lexStates = { token: 0, string: 1, key: 2, plain: 3 } as const

export interface TextRows {
  readonly count: number
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Nesting depth of each row; 0 for plain text. */
  readonly depths: Uint16Array
  readonly states: Uint8Array
  /** The line number of each row, from 1; 0 for a continued line. */
  readonly lines: Uint32Array
}

/** Token positions inside a row, used to find what a split is inside of; -1 if there is none. */
export interface RowTokens {
  keyStart: number
  keyEnd: number
  valueStart: number
  valueEnd: number
  valueIsString: boolean
}

export interface RowCollector {
  add(start: number, end: number, depth: number, tokens: RowTokens | null): void
  finish(): TextRows
}

export function createRowCollector(text: string, columns: number): RowCollector {
  let capacity = 1_024
  let count = 0
  let starts = new Uint32Array(capacity)
  let ends = new Uint32Array(capacity)
  let depths = new Uint16Array(capacity)
  let states = new Uint8Array(capacity)
  let lines = new Uint32Array(capacity)
  let line = 0

  const grow = () => {
    capacity *= 2
    const larger = {
      starts: new Uint32Array(capacity),
      ends: new Uint32Array(capacity),
      depths: new Uint16Array(capacity),
      states: new Uint8Array(capacity),
      lines: new Uint32Array(capacity),
    }
    larger.starts.set(starts)
    larger.ends.set(ends)
    larger.depths.set(depths)
    larger.states.set(states)
    larger.lines.set(lines)
    ;({ starts, ends, depths, states, lines } = larger)
  }

  const push = (start: number, end: number, depth: number, state: number, number: number) => {
    if (count === capacity) grow()
    starts[count] = start
    ends[count] = end
    depths[count] = Math.min(depth, 65_535)
    states[count] = state
    lines[count] = number
    count++
  }

  return {
    add(start, end, depth, tokens) {
      const room = Math.max(20, columns - 2 * Math.min(depth, DEEPEST_INDENT))
      line++
      for (let from = start, to; ; from = to) {
        const goesOn = from > start
        to = end - from > room ? cutBefore(text, from, from + room) : end
        push(from, to, depth, goesOn ? stateAt(tokens, from) : lexStates.token, goesOn ? 0 : line)
        if (to === end) return
      }
    },
    finish: () => ({
      count,
      starts: starts.slice(0, count),
      ends: ends.slice(0, count),
      depths: depths.slice(0, count),
      states: states.slice(0, count),
      lines: lines.slice(0, count),
    }),
  }
}

/** Rows of an unformatted text: one per line, without line endings. */
export function plainRows(text: string, columns: number): TextRows {
  const collector = createRowCollector(text, columns)
  let start = 0
  for (;;) {
    const newline = text.indexOf('\n', start)
    if (newline === -1) break
    const end = newline > start && text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline
    collector.add(start, end, 0, null)
    start = newline + 1
  }
  if (start < text.length || text.length === 0) collector.add(start, text.length, 0, null)
  return collector.finish()
}

/** A position at or just before `wanted` that splits no surrogate pair and no escape. */
function cutBefore(text: string, from: number, wanted: number): number {
  let cut = wanted
  const code = text.charCodeAt(cut)
  if (code >= 0xdc00 && code <= 0xdfff) cut--
  let slashes = 0
  while (cut - slashes - 1 > from && text.charCodeAt(cut - slashes - 1) === 92) slashes++
  if (slashes % 2 === 1) cut--
  return cut > from ? cut : wanted
}

function stateAt(tokens: RowTokens | null, at: number): number {
  if (tokens === null) return lexStates.plain
  if (at > tokens.keyStart && at < tokens.keyEnd) return lexStates.key
  if (at > tokens.valueStart && at < tokens.valueEnd)
    return tokens.valueIsString ? lexStates.string : lexStates.plain
  return lexStates.token
}

/** The row with a given position of the text, or the last row before it. */
export function rowAtPosition(rows: TextRows, position: number): number {
  let low = 0
  let high = Math.max(0, rows.count - 1)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((rows.starts[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}
