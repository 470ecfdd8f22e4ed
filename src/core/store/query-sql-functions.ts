/** Makes what SQL has no words for known to a connection: the words of a delivery, and questions about a JSON body. */
import type { Database } from 'better-sqlite3'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { compileJsonPredicate, type JsonPredicate } from '../../shared/query/json-value.ts'
import { deliveryHasWords, type WantedWords } from '../../shared/query/words.ts'
import { SQL_FUNCTIONS } from './query-sql.ts'

/** One question is asked of many deliveries in a row, a few of them in turn: each is made ready once. */
const KEPT = 64

function remembering<Made>(make: (text: string) => Made): (text: unknown) => Made {
  const made = new Map<string, Made>()
  return (given) => {
    const text = String(given)
    let found = made.get(text)
    if (found === undefined) {
      if (made.size >= KEPT) made.clear()
      found = make(text)
      made.set(text, found)
    }
    return found
  }
}

const bytesOf = (body: unknown) => (body instanceof Uint8Array ? body : new Uint8Array())

/** To be called once for each connection that conditions of `query-sql.ts` are asked of. */
export function defineQueryFunctions(db: Database): void {
  const wantedOf = remembering((text) => JSON.parse(text) as WantedWords)
  const predicateOf = remembering((text) => compileJsonPredicate(JSON.parse(text) as JsonPredicate))
  const options = { deterministic: true, directOnly: true } as const
  db.function(SQL_FUNCTIONS.words, options, (path, headers, body, wanted) => {
    const parts = {
      path: path as string | null,
      headers: JSON.parse(headers as string) as RawHeaders,
      body: bytesOf(body),
    }
    return deliveryHasWords(parts, wantedOf(wanted)) ? 1 : 0
  })
  db.function(SQL_FUNCTIONS.bodyWords, options, (body, wanted) =>
    deliveryHasWords({ path: null, headers: [], body: bytesOf(body) }, wantedOf(wanted)) ? 1 : 0,
  )
  db.function(SQL_FUNCTIONS.json, options, (body, predicate) => (predicateOf(predicate)(bytesOf(body)) ? 1 : 0))
}
