/**
 * Verdicts that aren't computed at receipt, and causes of invalid signatures.
 *
 * Claims: imported deliveries whose verdict comes from their file only. A claim becomes our own verdict once a known hook's secret,
 * with its registered URL, produces the signature. This runs in the reader's thread in bounded pieces: a body of megabytes is
 * verified with one key after the other.
 */
import type { DeliveryRow, Mode } from '../../shared/model/delivery.ts'
import type { checkPayload } from '../../shared/service/payload.ts'
import { isComplete, readSignatureHeaders } from '../signature/signature-headers.ts'
import { matches, type Candidate } from '../signature/verify.ts'
import { releaseMemory } from '../base/threads/memory.ts'
import { prepareJudgeAgain } from './handler-responses.ts'
import { noteIndexChanges } from './search/open-search.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { recounting } from './timeline.ts'
import { headersOf } from './rows.ts'
import { rowStatement, valuesOf } from './statements.ts'

/** A hook's secret, and what the hook says about its deliveries. */
export interface ClaimCandidate extends Candidate {
  readonly event: string
  readonly environment: string
  readonly mode: Mode
}

/** Where to continue: this claim, with this candidate. */
export interface ClaimPlace {
  readonly seq: number
  readonly candidate: number
}

export interface ClaimsInput {
  readonly from: ClaimPlace
  /** The last seq to look at. */
  readonly upTo: number
  readonly candidates: readonly ClaimCandidate[]
  readonly prefixes: readonly string[]
}

/** A delivery judged again: a claim whose signature is valid, or an unsigned delivery with another prefix. */
export interface JudgedAgain extends Pick<
  DeliveryRow,
  'seq' | 'verdict' | 'hookId' | 'environment' | 'mode'
> {
  /** Null: unchanged. The time of receipt of a claim is its file's, so its freshness is too. */
  readonly freshness: DeliveryRow['freshness'] | null
  /** Null if no secret proves it; then `schema` is null too. */
  readonly event: string | null
  readonly schema: DeliveryRow['schema'] | null
  /** Milliseconds since the epoch; null for a claim. */
  readonly at: number | null
}

/** Bytes hashed per piece: about ten milliseconds. */
const WORK = 8 * 1_048_576
/** Fixed cost per claim and key, in bytes hashed. */
const OVERHEAD = 4_096

/** Verifies claims against the candidates in order; `next` is null at the end. */
export function matchClaims(
  db: ReadableDb,
  { from, upTo, candidates, prefixes }: ClaimsInput,
  check: typeof checkPayload,
): { readonly proved: JudgedAgain[]; readonly next: ClaimPlace | null } {
  const proved: JudgedAgain[] = []
  const claims = rowStatement<{ seq: number; headers: string; bytes: Buffer }>(
    db,
    `SELECT d.seq, d.headers, b.bytes FROM deliveries d JOIN bodies b ON b.seq = d.seq
       WHERE d.verified_here = 0 AND d.seq >= ? AND d.seq <= ? AND d.truncated = 0 AND d.malformed IS NULL ORDER BY d.seq`,
  ).iterate(from.seq, upTo)
  let work = 0
  for (const { seq, headers, bytes } of claims) {
    if (work >= WORK) return { proved, next: { seq, candidate: 0 } }
    work += OVERHEAD
    const pairs = readSignatureHeaders(headersOf(headers) ?? [], prefixes).filter(isComplete)
    if (pairs.length === 0) continue
    for (let index = seq === from.seq ? from.candidate : 0; index < candidates.length; index++) {
      if (work >= WORK) return { proved, next: { seq, candidate: index } }
      work += (OVERHEAD + bytes.length) * pairs.length
      const candidate = candidates[index]!
      if (!pairs.some((pair) => matches(candidate, bytes, pair.timestamp, pair.signature))) continue
      const { hookId, event, environment, mode } = candidate
      const { outcome: schema } = check(event, bytes)
      const judged = { verdict: 'valid', freshness: null, at: null } as const
      proved.push({ ...judged, seq, hookId, event, environment, mode, schema })
      break
    }
    releaseMemory(bytes)
  }
  return { proved, next: null }
}

/** Changes verdicts in one transaction, with everything that follows from them: totals, handler responses and the index. */
export function putJudged(db: WritableDb, rows: readonly JudgedAgain[]): void {
  const put = db.prepare(
    `UPDATE deliveries SET verdict = @verdict, freshness = coalesce(@freshness, freshness), hook_id = @hookId,
       environment = @environment, mode = @mode, event = coalesce(@event, event),
       event_source = iif(@event IS NULL, event_source, 'hook'), event_candidates = iif(@event IS NULL, event_candidates, '[]'),
       schema = coalesce(@schema, schema), verified_here = 1, judged_at = coalesce(@at, judged_at)
     WHERE seq = @seq AND (verified_here = 0 OR verdict = 'unsigned')`,
  )
  const dropCause = db.prepare('DELETE FROM causes WHERE seq = ?')
  const judgeAgain = prepareJudgeAgain(db)
  const seqs = rows.map(({ seq }) => seq)
  db.transaction(() =>
    recounting(db, seqs, () => {
      for (const row of rows) {
        put.run(row)
        dropCause.run(row.seq)
        judgeAgain(row.seq)
      }
      noteIndexChanges(db, seqs)
    }),
  )()
}

/** Seqs that one call looks through. */
const UNSIGNED_PIECE = 20_000

export interface UnsignedPiece {
  readonly ids: readonly string[]
  /** Where to continue; null at the end. */
  readonly next: number | null
}

/** Unsigned deliveries after a seq with a signature header under one of the prefixes. */
export function unsignedWith(
  db: ReadableDb,
  { after, prefixes }: { readonly after: number; readonly prefixes: readonly string[] },
): UnsignedPiece {
  const upTo = after + UNSIGNED_PIECE
  const ids = valuesOf<string>(
    db,
    `SELECT id FROM deliveries d WHERE seq > ? AND seq <= ? AND verdict = 'unsigned' AND malformed IS NULL AND truncated = 0
         AND EXISTS (SELECT 1 FROM json_each(?) WHERE d.headers LIKE '%"x-' || value || '-signature"%') ORDER BY seq`,
  ).all(after, upTo, JSON.stringify(prefixes))
  const rest = db.prepare('SELECT 1 FROM deliveries WHERE seq > ? LIMIT 1').get(upTo)
  return { ids, next: rest === undefined ? null : upTo }
}

// Why signatures are invalid: found outside of the store, which has no secrets.

/** Invalid deliveries that one call looks through. */
const CHECKED_AT_ONCE = 1_000
/** A larger body isn't diagnosed unless someone asks. */
const DIAGNOSED_BYTES = 1_048_576

/** A diagnosed delivery: `cause` is null if nothing explains its signature; `keys` stands for the hooks and secrets that were tried. */
export interface Cause extends Pick<DeliveryRow, 'environment' | 'mode'> {
  readonly seq: number
  readonly cause: string | null
  readonly keys: number
  /** The likeliest of several hooks, to attribute the delivery to; null to leave it. */
  readonly hookId: string | null
}

/** Where to look for deliveries to diagnose: between these seqs, both excluded. */
export interface UndiagnosedInput {
  readonly keys: number
  readonly after: number
  readonly before: number
  readonly limit: number
}

export interface Undiagnosed {
  /** Newest first. */
  readonly left: readonly { readonly seq: number; readonly id: string }[]
  /** The newest seq in the range, diagnosed or not; 0 if the range is empty. */
  readonly newest: number
  /** Those before this seq haven't been looked at; null once all have been. */
  readonly before: number | null
}

/** Invalid deliveries that aren't diagnosed with these keys, among the newest 1,000 in the range. */
export function undiagnosed(
  db: ReadableDb,
  { keys, after, before, limit }: UndiagnosedInput,
): Undiagnosed {
  const { newest, oldest, count } = rowStatement<{
    newest: number | null
    oldest: number | null
    count: number
  }>(
    db,
    `SELECT max(seq) AS newest, min(seq) AS oldest, count(*) AS count
       FROM (SELECT seq FROM deliveries WHERE verdict = 'invalid' AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?)`,
  ).get(after, before, CHECKED_AT_ONCE)!
  if (newest === null || oldest === null) return { left: [], newest: 0, before: null }
  const left = rowStatement<{ seq: number; id: string }>(
    db,
    `SELECT d.seq, d.id FROM deliveries d LEFT JOIN causes c ON c.seq = d.seq
       WHERE d.verdict = 'invalid' AND d.seq <= ? AND d.seq >= ?
         AND d.verified_here = 1 AND d.truncated = 0 AND d.malformed IS NULL AND d.body_size <= ? AND c.keys IS NOT ?
         AND d.seq NOT IN (SELECT seq FROM deleted) ORDER BY d.seq DESC LIMIT ?`,
  ).all(newest, oldest, DIAGNOSED_BYTES, keys, limit)
  if (left.length === limit) return { left, newest, before: left.at(-1)!.seq }
  return { left, newest, before: count === CHECKED_AT_ONCE ? oldest : null }
}

/** Stores causes of deliveries that still exist and are still invalid. */
export function putCauses(db: WritableDb, causes: readonly Cause[]): void {
  const put = db.prepare(
    `INSERT OR REPLACE INTO causes (seq, cause, keys)
     SELECT seq, @cause, @keys FROM deliveries WHERE seq = @seq AND verdict = 'invalid' AND verified_here = 1`,
  )
  const attribute = db.prepare(
    `UPDATE deliveries SET hook_id = @hookId, environment = @environment, mode = @mode
     WHERE seq = @seq AND verdict = 'invalid' AND verified_here = 1 AND hook_id IS NOT @hookId`,
  )
  withRelaxedCommit(
    db,
    db.transaction(() => {
      const attributed = causes.filter(({ hookId }) => hookId !== null)
      for (const { seq, cause, keys } of causes) put.run({ seq, cause, keys })
      const seqs = attributed.map(({ seq }) => seq)
      recounting(db, seqs, () => {
        for (const { seq, hookId, environment, mode } of attributed)
          attribute.run({ seq, hookId, environment, mode })
        noteIndexChanges(db, seqs)
      })
    }),
  )
}
