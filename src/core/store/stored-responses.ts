/** The receiver's responses, each stored once for all of its deliveries. */
import { hash } from 'node:crypto'
import type { OwnResponse, RawHeaders } from '../../shared/model/delivery.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import type { WritableDb } from './database.ts'
import { withRelaxedCommit } from './commit-modes.ts'

/** Response as it is sent; status null if the connection was dropped. */
export interface SentResponse {
  readonly status: number | null
  readonly headers: RawHeaders
  readonly body: string | Uint8Array
}

/** Response of the receiver to a delivery; status null if the connection was dropped. */
export interface AnswerRow {
  readonly seq: number
  readonly status: number | null
  readonly ms: number | null
  /** Missing if only the status is known. */
  readonly response?: SentResponse
}

/** Returns 48 bits of a hash, enough for few responses. */
function keyOf(content: string): number {
  return Number.parseInt(hash('sha256', content, 'hex').slice(0, 12), 16)
}

function contentOf({ status, headers, body }: SentResponse): string {
  const bytes =
    typeof body === 'string'
      ? Buffer.from(body)
      : Buffer.from(body.buffer, body.byteOffset, body.length)
  const response: OwnResponse = {
    status,
    headers: headers.map(([name, value]) => [name, value]),
    body: bytes.subarray(0, KEPT_RESPONSE_BYTES).toString('base64'),
    truncated: bytes.length > KEPT_RESPONSE_BYTES,
  }
  return JSON.stringify(response)
}

/** Limit of uses reserved in advance. */
const MAX_RESERVED = 4_096
const FIRST_RESERVED = 16
const MAX_KEPT = 64

interface ReferenceCount {
  readonly key: number
  free: number
  /** Uses to reserve next time. */
  more: number
}

export interface KeptResponses {
  /** Stores a response for deliveries and returns its key. */
  keep(content: string, uses: number): number
  /** Gives unused reserved uses back. */
  settle(): void
  /** Drops reserved uses after a failed transaction; stored ones stay counted. */
  forget(): void
}

const keptResponses = new WeakMap<WritableDb, KeptResponses>()

/**
 * Returns a connection's responses. Uses are counted in advance, because counting each would write
 * another page per commit.
 */
export function responsesOf(db: WritableDb): KeptResponses {
  const existing = keptResponses.get(db)
  if (existing !== undefined) return existing
  const counts = new Map<string, ReferenceCount>()
  const put = db.prepare(
    'INSERT INTO responses (key, uses, content) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET uses = uses + excluded.uses',
  )
  const giveBack = db.prepare('UPDATE responses SET uses = uses - ? WHERE key = ?')
  const responses: KeptResponses = {
    keep(content, uses) {
      if (!counts.has(content) && counts.size >= MAX_KEPT) responses.settle()
      const count = counts.get(content) ?? { key: keyOf(content), free: 0, more: 0 }
      counts.set(content, count)
      if (count.free < uses) {
        put.run(count.key, uses - count.free + count.more, content)
        count.free = uses + count.more
        count.more = Math.min(MAX_RESERVED, Math.max(FIRST_RESERVED, 2 * count.more))
      }
      count.free -= uses
      return count.key
    },
    settle() {
      for (const { key, free } of counts.values()) if (free > 0) giveBack.run(free, key)
      counts.clear()
    },
    forget() {
      counts.clear()
    },
  }
  keptResponses.set(db, responses)
  return responses
}

/** Makes stored uses exact before the connection closes. */
export function settleResponses(db: WritableDb): void {
  // Takes no lock if there is nothing to write.
  withRelaxedCommit(db, () => withStoredResponses(db, db.transaction(responsesOf(db).settle)))
}

/** Runs a transaction that stores responses; drops reserved uses if it fails. */
export function withStoredResponses<Result>(db: WritableDb, transaction: () => Result): Result {
  try {
    return transaction()
  } catch (error) {
    responsesOf(db).forget()
    throw error
  }
}

/** Creates the function that adds responses, equal ones once. */
export function prepareAnswers(db: WritableDb): (answers: readonly AnswerRow[]) => void {
  const set = db.prepare(
    'UPDATE deliveries SET answer_status = ?, answer_ms = ?, response = ? WHERE seq = ?',
  )
  const { keep } = responsesOf(db)
  return (answers) => {
    const contents = new Map<
      SentResponse,
      { readonly content: string; readonly key: number; uses: number }
    >()
    for (const { seq, status, ms, response } of answers) {
      if (response !== undefined && !contents.has(response)) {
        const content = contentOf(response)
        contents.set(response, { content, key: keyOf(content), uses: 0 })
      }
      const stored = response === undefined ? undefined : contents.get(response)
      if (set.run(status, ms, stored?.key ?? null, seq).changes > 0 && stored !== undefined)
        stored.uses++
    }
    for (const { content, uses } of contents.values()) if (uses > 0) keep(content, uses)
  }
}
