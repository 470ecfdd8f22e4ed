/** An import as whoever reads the file goes through it: line by line, a part at a time, never the whole file. */
import { MOST_LINES, PIECE_CHARACTERS } from '../contract/nouns/exchange.ts'
import { BODY_LIMITS } from '../model/settings.ts'
import type { OutputOf } from '../contract/contract.ts'
import type { Client } from '../rpc/client.ts'

export interface ImportOutcome {
  /** Lines read so far. */
  readonly lines: number
  readonly imported: number
  /** Known by their id, and left as they are. */
  readonly known: number
  readonly refused: number
  /** The first that were refused; `line` counts from 1. */
  readonly problems: readonly { readonly line: number; readonly reason: string }[]
}

interface CallOptions {
  readonly signal?: AbortSignal
}

/** Characters of one call, about. What is longer goes a piece at a time: a message has a limit. */
const CALL_CHARACTERS = 1_048_576
/** Characters of the longest line that an export writes: the largest body that is ever kept, in Base-64, with room around it. */
export const LONGEST_LINE = Math.ceil(BODY_LIMITS.most / 3) * 4 + 4 * 1_048_576
const MOST_PROBLEMS = 20

/** Gives lines over: several in one call, or a long one, which then is alone, in pieces. */
async function give(client: Client, lines: readonly string[], options: CallOptions): Promise<OutputOf<'exchange.import'>> {
  const [line = ''] = lines
  if (line.length <= CALL_CHARACTERS) return client.call('exchange.import', { lines: [...lines] }, options)
  let at = 0
  let begun: string | null = null
  for (; at + PIECE_CHARACTERS < line.length; at += PIECE_CHARACTERS) {
    const text = line.slice(at, at + PIECE_CHARACTERS)
    begun = (await client.call('exchange.importPiece', { begun, text }, options)).begun
  }
  return client.call('exchange.import', { lines: [line.slice(at)], begun }, options)
}

/**
 * Takes the lines of a file, and tells how far it is after each part; the last one is the outcome. The signal ends it amid a part, of
 * which nobody knows then what was taken; whoever wants to know stops between two parts.
 */
export async function* importLines(
  client: Client,
  lines: AsyncIterable<string>,
  signal?: AbortSignal,
): AsyncGenerator<ImportOutcome> {
  const options = signal === undefined ? {} : { signal }
  let outcome: ImportOutcome = { lines: 0, imported: 0, known: 0, refused: 0, problems: [] }
  let part: string[] = []
  let characters = 0
  let tooLong: { line: number; reason: string }[] = []

  const send = async () => {
    const { imported, known, refused } = await give(client, part, options)
    const problems = [...tooLong, ...refused.map(({ line, reason }) => ({ line: outcome.lines + line + 1, reason }))]
    outcome = {
      lines: outcome.lines + part.length,
      imported: outcome.imported + imported,
      known: outcome.known + known,
      refused: outcome.refused + problems.length,
      problems: [...outcome.problems, ...problems].slice(0, MOST_PROBLEMS),
    }
    part = []
    tooLong = []
    characters = 0
  }

  for await (const line of lines) {
    if (part.length > 0 && (part.length === MOST_LINES || characters + line.length > CALL_CHARACTERS)) {
      await send()
      yield outcome
    }
    const fits = line.length <= LONGEST_LINE
    part.push(fits ? line : '')
    if (fits) characters += line.length
    else
      tooLong.push({
        line: outcome.lines + part.length,
        reason: 'It is longer than any line of an export: a delivery with the largest body that can be kept is shorter.',
      })
  }
  if (part.length > 0) await send()
  yield outcome
}
