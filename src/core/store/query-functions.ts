/** Functions that SQL lacks: the words of a delivery, and conditions on a JSON body. */
import type { Database } from 'better-sqlite3'
import { compileJsonPredicate, type JsonPredicate } from '../../shared/query/json-predicate.ts'
import { deliveryHasWords, foldText, type SearchPhrase } from '../../shared/query/search-words.ts'
import { SQL_FUNCTIONS } from './query-sql.ts'
import { headersOf } from './rows.ts'
import { defineStillWanted } from './read-limits.ts'

/** Parsed queries to keep, because many deliveries in a row use one. */
const MAX_PREPARED = 64
/** Folded merchant names to keep, because folding takes longer than comparing. */
const MAX_NAMES = 10_000

function memoized<Result>(
  create: (text: string) => Result,
  limit = MAX_PREPARED,
): (text: unknown) => Result {
  const results = new Map<string, Result>()
  return (value) => {
    const text = String(value)
    let result = results.get(text)
    if (result === undefined) {
      if (results.size >= limit) results.clear()
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
  const phraseOf = memoized((text) => JSON.parse(text) as SearchPhrase)
  const predicateOf = memoized((text) => compileJsonPredicate(JSON.parse(text) as JsonPredicate))
  const options = { deterministic: true, directOnly: true } as const
  db.function(SQL_FUNCTIONS.words, options, (path, headers, body, words) => {
    const parts = {
      path: path as string | null,
      headers: headersOf(headers as string) ?? [],
      body: bytesOf(body),
    }
    return deliveryHasWords(parts, phraseOf(words)) ? 1 : 0
  })
  db.function(SQL_FUNCTIONS.bodyWords, options, (body, words) =>
    deliveryHasWords({ path: null, headers: [], body: bytesOf(body) }, phraseOf(words)) ? 1 : 0,
  )
  const foldOf = memoized(foldText, MAX_NAMES)
  db.function(SQL_FUNCTIONS.fold, options, (text) => foldOf(text))
  db.function(SQL_FUNCTIONS.json, options, (body, predicate) =>
    predicateOf(predicate)(bytesOf(body)) ? 1 : 0,
  )
}
