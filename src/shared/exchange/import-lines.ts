/** An import as whoever reads the file goes through it: line by line, a part at a time, never the whole file. */
import { MOST_LINES } from '../contract/nouns/exchange.ts'
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

/** Characters of one call, about: a message has a limit. */
const CALL_CHARACTERS = 1_048_576
/** A line that takes more bytes than this in a message does not fit into one. */
export const LONGEST_LINE = 15 * 1_048_576
const MOST_PROBLEMS = 20

/** A character takes up to six bytes of a message (`\u0000`): only a long line has to be measured. */
function fitsMessage(line: string): boolean {
  if (line.length > LONGEST_LINE) return false
  return line.length <= CALL_CHARACTERS || new TextEncoder().encode(JSON.stringify(line)).length <= LONGEST_LINE
}

/** Takes the lines of a file, and tells how far it is after each part; the last one is the outcome. */
export async function* importLines(
  client: Client,
  lines: AsyncIterable<string>,
  signal: AbortSignal,
): AsyncGenerator<ImportOutcome> {
  let outcome: ImportOutcome = { lines: 0, imported: 0, known: 0, refused: 0, problems: [] }
  let part: string[] = []
  let characters = 0
  let tooLong: { line: number; reason: string }[] = []

  const send = async () => {
    const { imported, known, refused } = await client.call('exchange.import', { lines: part }, { signal })
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
    const fits = fitsMessage(line)
    part.push(fits ? line : '')
    if (fits) characters += line.length
    else
      tooLong.push({
        line: outcome.lines + part.length,
        reason: 'It takes more than 15 MiB, which is more than one message carries. Deliveries with bodies of up to 10 MiB fit.',
      })
  }
  if (part.length > 0) await send()
  yield outcome
}
