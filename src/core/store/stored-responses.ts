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

/** The receiver's response; status null if the connection was dropped. */
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

/** Limit of uses claimed in advance. */
const MOST_CLAIMED = 4_096
const FIRST_CLAIM = 16
const MOST_KEPT = 64

interface Claim {
  readonly key: number
  free: number
  /** Uses to claim next time. */
  more: number
}

export interface KeptResponses {
  /** Stores a response for deliveries and returns its key. */
  keep(content: string, uses: number): number
  settle(): void
  /** Drops claims after a failed transaction; stored ones stay counted. */
  forget(): void
}

const keptResponses = new WeakMap<WritableDb, KeptResponses>()

/**
 * Returns a connection's responses. Uses are claimed in advance, because counting each would write
 * another page per commit.
 */
export function responsesOf(db: WritableDb): KeptResponses {
  const existing = keptResponses.get(db)
  if (existing !== undefined) return existing
  const claims = new Map<string, Claim>()
  const put = db.prepare(
    'INSERT INTO responses (key, uses, content) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET uses = uses + excluded.uses',
  )
  const giveBack = db.prepare('UPDATE responses SET uses = uses - ? WHERE key = ?')
  const responses: KeptResponses = {
    keep(content, uses) {
      if (!claims.has(content) && claims.size >= MOST_KEPT) responses.settle()
      const claim = claims.get(content) ?? { key: keyOf(content), free: 0, more: 0 }
      claims.set(content, claim)
      if (claim.free < uses) {
        put.run(claim.key, uses - claim.free + claim.more, content)
        claim.free = uses + claim.more
        claim.more = Math.min(MOST_CLAIMED, Math.max(FIRST_CLAIM, 2 * claim.more))
      }
      claim.free -= uses
      return claim.key
    },
    settle() {
      for (const { key, free } of claims.values()) if (free > 0) giveBack.run(free, key)
      claims.clear()
    },
    forget() {
      claims.clear()
    },
  }
  keptResponses.set(db, responses)
  return responses
}

/** Makes stored uses exact before the connection closes. */
export function settleResponses(db: WritableDb): void {
  // Takes no lock if there is nothing to write.
  withRelaxedCommit(db, () => storingResponses(db, db.transaction(responsesOf(db).settle)))
}

export function storingResponses<Result>(db: WritableDb, transaction: () => Result): Result {
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
