/** A search as it is given on the command line: one that cannot be read is refused, one that was probably meant otherwise is remarked on. */
import { parsePieces } from '../shared/query/parse.ts'
import type { Output } from './output.ts'

/** Throws `INVALID_QUERY` where the search cannot be read, before anything is asked of an instance. */
export function checkGivenQuery(output: Pick<Output, 'note'>, query: string): void {
  for (const { sentence } of parsePieces(query).hints) output.note(`Note: ${sentence}`)
}
