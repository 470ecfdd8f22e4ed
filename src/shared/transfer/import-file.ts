/** Imports a file line by line, one message at a time, never the whole file at once. */
import { MOST_LINES, PIECE_CHARACTERS } from '../contract/nouns/exchange.ts'
import { byteSize } from '../text/counted.ts'
import { DEFAULT_SETTINGS } from '../model/settings.ts'
import type { OutputOf } from '../contract/contract.ts'
import type { Client } from '../rpc/client.ts'

export interface ImportOutcome {
  /** Lines read so far. */
  readonly lines: number
  readonly imported: number
  /** Already stored under the same ID, and unchanged. */
  readonly known: number
  readonly refused: number
  /** The first rejected lines; `line` counts from 1. */
  readonly problems: readonly { readonly line: number; readonly reason: string }[]
  /** The rejected lines after those, up to a limit. */
  readonly further: readonly LineRange[]
}

export const NOTHING_IMPORTED: ImportOutcome = {
  lines: 0,
  imported: 0,
  known: 0,
  refused: 0,
  problems: [],
  further: [],
}

/** A range of consecutive lines, both included. */
interface LineRange {
  readonly first: number
  readonly last: number
}

/** Approximate characters per call. A longer line is sent in pieces, because messages have a limit. */
const CALL_CHARACTERS = 1_048_576
/** Bytes of a line besides its body: headers that JSON escapes, and a note. */
export const AROUND_BODY = 2 * 1_048_576
const MOST_PROBLEMS = 20
const MOST_RANGES = 20

/** Longest line, in bytes, that can be imported under a body limit: its body in Base64 plus the rest. */
export function longestLine(bodyLimit: number): number {
  return Math.ceil(Math.max(bodyLimit, DEFAULT_SETTINGS.bodyLimit) / 3) * 4 + AROUND_BODY
}

export function tooLongReason(bodyLimit: number): string {
  const most = Math.max(bodyLimit, DEFAULT_SETTINGS.bodyLimit)
  return `The line is too long for the body limit of ${byteSize(most)}. Raise the limit with "countersign settings --body-limit SIZE", then import the file again.`
}

/** Extends the last range if the line follows it; else adds a new range, up to a limit. */
function withLine(ranges: readonly LineRange[], line: number): readonly LineRange[] {
  const last = ranges.at(-1)
  if (last?.last === line - 1) return [...ranges.slice(0, -1), { first: last.first, last: line }]
  return ranges.length < MOST_RANGES ? [...ranges, { first: line, last: line }] : ranges
}

/** `lines 22–30, 35`; for lines outside of all ranges, their number. */
function linesInWords(ranges: readonly LineRange[], lines: number): string {
  const named = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  const texts = ranges.map(({ first, last }) =>
    first === last
      ? first.toLocaleString('en')
      : `${first.toLocaleString('en')}–${last.toLocaleString('en')}`,
  )
  const rest = lines > named ? `, and ${(lines - named).toLocaleString('en')} later ones` : ''
  return `${lines === 1 ? 'line' : 'lines'} ${texts.join(', ')}${rest}`
}

/** `And 11 more: lines 22–30, 35, 41.`: the rejected lines listed without a reason; null if there are none. */
export function furtherRefused({
  refused,
  problems,
  further,
}: Pick<ImportOutcome, 'refused' | 'problems' | 'further'>): string | null {
  const left = refused - problems.length
  return left === 0
    ? null
    : `And ${left.toLocaleString('en')} more: ${linesInWords(further, left)}.`
}

/**
 * Imports a file that is read piece by piece, and yields a report after each call; the last report is the result. Memory use is
 * limited to one message, however long the lines are. If the signal aborts during a call, its outcome is unknown: to avoid that,
 * stop between two reports.
 */
export async function* importFile(
  client: Client,
  pieces: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<ImportOutcome> {
  const options = signal === undefined ? {} : { signal }
  const { bodyLimit } = await client.call('settings.get', {}, options)
  let outcome = NOTHING_IMPORTED
  let part: string[] = []
  let characters = 0
  /** The start of a line that is longer than a piece; `name` is its identifier in the core. */
  let long: { name: string | null } | null = null

  const count = (
    lines: number,
    result: Omit<OutputOf<'exchange.import'>, 'refused'>,
    refused: OutputOf<'exchange.import'>['refused'],
  ) => {
    const refusals = refused.map(({ line, reason }) => ({ line: outcome.lines + line + 1, reason }))
    const listed = refusals.slice(0, MOST_PROBLEMS - outcome.problems.length)
    outcome = {
      lines: outcome.lines + lines,
      imported: outcome.imported + result.imported,
      known: outcome.known + result.known,
      refused: outcome.refused + refusals.length,
      problems: [...outcome.problems, ...listed],
      further: refusals
        .slice(listed.length)
        .reduce((ranges, { line }) => withLine(ranges, line), outcome.further),
    }
  }
  const give = async (lines: string[], begun: string | null) => {
    const { refused, ...result } = await client.call('exchange.import', { lines, begun }, options)
    count(lines.length, result, refused)
  }
  /** In small messages: copies of a large one would stay until the next full garbage collection. */
  const givePiece = async (text: string, begun: string | null) => {
    let name = begun
    for (let from = 0; from < text.length; from += PIECE_CHARACTERS) {
      const piece = text.slice(from, from + PIECE_CHARACTERS)
      name = (await client.call('exchange.importPiece', { begun: name, text: piece }, options))
        .begun
    }
    return name
  }
  const giveWaiting = async () => {
    const lines = part
    part = []
    characters = 0
    await give(lines, null)
  }

  for await (const { text, ends, isTooLong } of linePartsOfFile(pieces, {
    part: CALL_CHARACTERS,
    line: longestLine(bodyLimit),
  })) {
    const isAlone = long !== null || !ends || isTooLong
    if (
      part.length > 0 &&
      (isAlone || part.length === MOST_LINES || characters + text.length > CALL_CHARACTERS)
    ) {
      await giveWaiting()
      yield outcome
    }
    if (!isAlone) {
      part.push(text)
      characters += text.length
      continue
    }
    long ??= { name: null }
    if (isTooLong)
      count(1, { imported: 0, known: 0 }, [{ line: 0, reason: tooLongReason(bodyLimit) }])
    else if (ends) await give([text], long.name)
    else long.name = await givePiece(text, long.name)
    if (!ends) continue
    long = null
    yield outcome
  }
  if (part.length > 0) await giveWaiting()
  yield outcome
}

// Reads a file's lines piece by piece: it may be larger than memory and have no line breaks.

/** A part of a line; `ends`: the last part. Line breaks are in no part. */
interface LinePart {
  readonly text: string
  readonly ends: boolean
  /** The line exceeded the limit: the rest of it is discarded. */
  readonly isTooLong: boolean
}

interface LineLimits {
  /** Bytes per part; the start of a character cut at its end is moved to the next part. A shorter line has one part. */
  readonly part: number
  /** Bytes of a line. */
  readonly line: number
}

const LINE_FEED = 10
const BYTE_ORDER_MARK = '\ufeff'

/** Yields each line in parts. Keeps only one part in memory, and no input piece, so its buffer may be reused. */
export async function* linePartsOfFile(
  pieces: AsyncIterable<Uint8Array>,
  most: LineLimits,
): AsyncGenerator<LinePart> {
  // Each line is decoded separately; a byte order mark is only valid at the start of the file.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let held: string[] = []
  let heldBytes = 0
  let lineBytes = 0
  let isFirst = true

  const take = (ends: boolean): LinePart => {
    const isTooLong = lineBytes > most.line
    let text = held.join('')
    if (ends) text += decoder.decode()
    if (isFirst && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1)
    isFirst = false
    held = []
    heldBytes = 0
    if (ends) lineBytes = 0
    return { text: ends && text.endsWith('\r') ? text.slice(0, -1) : text, ends, isTooLong }
  }
  const hold = function* (bytes: Uint8Array): Generator<LinePart> {
    for (let from = 0; from < bytes.length;) {
      // A full part is emitted only if more of its line follows; else it is the last part.
      if (heldBytes === most.part) yield take(false)
      const more = bytes.subarray(from, from + most.part - heldBytes)
      from += more.length
      lineBytes += more.length
      if (lineBytes > most.line) {
        held = []
        heldBytes = 0
        lineBytes += bytes.length - from
        return
      }
      held.push(decoder.decode(more, { stream: true }))
      heldBytes += more.length
    }
  }
  for await (const piece of pieces) {
    let from = 0
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      yield* hold(piece.subarray(from, at))
      yield take(true)
      from = at + 1
    }
    yield* hold(piece.subarray(from))
  }
  if (lineBytes > 0) yield take(true)
}
