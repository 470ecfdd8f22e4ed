/** Functions that SQL lacks: the words of a delivery, and conditions on a JSON body. */
import type { Database } from 'better-sqlite3'
import { compileJsonPredicate, type JsonPredicate } from '../../shared/query/json-value.ts'
import { deliveryHasWords, foldText, type SearchPhrase } from '../../shared/query/words.ts'
import { SQL_FUNCTIONS } from './query-sql.ts'
import { headersOf } from './rows.ts'
import { defineStillWanted } from './read-limits.ts'

/** Prepared queries, used by many deliveries in a row. */
const MOST_PREPARED = 64
/** Folded merchants: folding takes longer than the rest. */
const MOST_NAMES = 10_000

function remembering<Made>(
  create: (text: string) => Made,
  kept = MOST_PREPARED,
): (text: unknown) => Made {
  const results = new Map<string, Made>()
  return (value) => {
    const text = String(value)
    let result = results.get(text)
    if (result === undefined) {
      if (results.size >= kept) results.clear()
      result = create(text)
      results.set(text, result)
    }
    return result
  }
}

const bytesOf = (body: unknown) => (body instanceof Uint8Array ? body : new Uint8Array())

/** Defines the functions of `query-sql.ts` on a connection. */
export function defineQueryFunctions(db: Database): void {
  defineStillWanted(db)
  const wantedOf = remembering((text) => JSON.parse(text) as SearchPhrase)
  const predicateOf = remembering((text) => compileJsonPredicate(JSON.parse(text) as JsonPredicate))
  const options = { deterministic: true, directOnly: true } as const
  db.function(SQL_FUNCTIONS.words, options, (path, headers, body, words) => {
    const parts = {
      path: path as string | null,
      headers: headersOf(headers as string) ?? [],
      body: bytesOf(body),
    }
    return deliveryHasWords(parts, wantedOf(words)) ? 1 : 0
  })
  db.function(SQL_FUNCTIONS.bodyWords, options, (body, words) =>
    deliveryHasWords({ path: null, headers: [], body: bytesOf(body) }, wantedOf(words)) ? 1 : 0,
  )
  const foldOf = remembering(foldText, MOST_NAMES)
  db.function(SQL_FUNCTIONS.fold, options, (text) => foldOf(text))
  db.function(SQL_FUNCTIONS.json, options, (body, predicate) =>
    predicateOf(predicate)(bytesOf(body)) ? 1 : 0,
  )
}
