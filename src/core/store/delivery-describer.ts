/** Describes stored deliveries behind the receiver: payload details, event, notification. */
import type { Transaction } from 'better-sqlite3'
import { collectAfter, releaseMemory } from '../base/threads/memory.ts'
import { rowStatement, columnStatement } from './statements.ts'
import type { WritableDb } from './database.ts'
import { withRelaxedCommit } from './commit-modes.ts'
import { type AnswerRow, prepareAnswers, withStoredResponses } from './stored-responses.ts'
import {
  type Description,
  type Undescribed,
  prepareDescriptions,
  type DescribePayload,
} from './descriptions.ts'
import { addToTotals } from './delivery-totals.ts'

const EMPTY_DESCRIPTION: Description = {
  schema: 'unknown',
  events: null,
  details: { amount: null, currency: null, merchant: null, schemaErrors: null },
}

/** Deliveries described in two or three milliseconds. */
const DESCRIBED_AT_ONCE = 64

export interface DescribeBatch {
  readonly answers: readonly AnswerRow[]
  /** Environments that treat any 2xx as an acknowledgement. */
  readonly lenientEnvironments: readonly string[]
}

export interface Described {
  readonly seqs: readonly number[]
  readonly hasMore: boolean
  /** Error in describing a payload, which counts as described anyway. */
  readonly bug: string | null
}

type StoredUndescribed = Omit<Undescribed, 'truncated'> & { readonly truncated: number }

function prepareStatements(db: WritableDb) {
  return {
    setAnswers: prepareAnswers(db),
    write: prepareDescriptions(db),
    setProgress: db.prepare('UPDATE progress SET described_seq = max(described_seq, ?)'),
    describedSeq: columnStatement<number>(db, 'SELECT described_seq FROM progress'),
    readStored: rowStatement<StoredUndescribed>(
      db,
      `SELECT seq, id, notification_key AS notificationKey, body_sha256 AS bodySha256, hook_id AS hookId, verdict, event,
       event_source AS eventSource, malformed, truncated
     FROM deliveries WHERE seq > ? ORDER BY seq LIMIT ?`,
    ),
    // Iterating would keep a second copy of the bytes.
    readBody: columnStatement<Uint8Array>(db, 'SELECT bytes FROM bodies WHERE seq = ?'),
    readUndetailed: rowStatement<StoredUndescribed>(
      db,
      `SELECT seq, event, malformed, truncated FROM deliveries
     WHERE seq <= (SELECT undetailed_seq FROM progress) ORDER BY seq DESC LIMIT ?`,
    ),
    setUndetailed: db.prepare('UPDATE progress SET undetailed_seq = ?'),
  }
}

type Statements = ReturnType<typeof prepareStatements>

/** Describer of stored deliveries, in batches, oldest first. */
export class DeliveryDescriber {
  readonly #db: WritableDb
  readonly #statements: Statements
  #mayLackDetails = true
  #bug: string | null = null
  readonly #transaction: Transaction<
    (batch: DescribeBatch, describePayload: DescribePayload) => Omit<Described, 'bug'>
  >

  constructor(db: WritableDb) {
    this.#db = db
    this.#statements = prepareStatements(db)
    this.#transaction = db.transaction(this.#describeAll)
  }

  describe = (batch: DescribeBatch, describePayload: DescribePayload): Described => {
    const described = withRelaxedCommit(this.#db, () =>
      withStoredResponses(this.#db, () => this.#transaction.immediate(batch, describePayload)),
    )
    const bug = this.#bug
    this.#bug = null
    return { ...described, bug }
  }

  /** Describes a payload; the description of a malformed or truncated one is empty. */
  #describePayload(
    { event, malformed, truncated }: Undescribed,
    bytes: Uint8Array,
    describePayload: DescribePayload,
  ): Description {
    if (truncated || malformed !== null) return EMPTY_DESCRIPTION
    try {
      return describePayload(event, bytes)
    } catch (error) {
      this.#bug = (error as Error).stack ?? (error as Error).message
      return EMPTY_DESCRIPTION
    } finally {
      const { length } = bytes
      releaseMemory(bytes)
      collectAfter(length)
    }
  }

  #storedOf = (stored: StoredUndescribed) => ({
    row: { ...stored, truncated: stored.truncated === 1 },
    bytes: () => this.#statements.readBody.get(stored.seq) ?? new Uint8Array(),
  })

  /** Adds details that a repair lost, newest deliveries first. */
  #addDetails(describePayload: DescribePayload): number[] {
    const undetailed = this.#statements.readUndetailed.all(DESCRIBED_AT_ONCE).map(this.#storedOf)
    for (const { row, bytes } of undetailed)
      this.#statements.write.details(row.seq, this.#describePayload(row, bytes(), describePayload))
    const last = undetailed.at(-1)
    if (last !== undefined) this.#statements.setUndetailed.run(last.row.seq - 1)
    return undetailed.map(({ row }) => row.seq)
  }

  #describeAll = (
    batch: DescribeBatch,
    describePayload: DescribePayload,
  ): Omit<Described, 'bug'> => {
    const lenient = new Set(batch.lenientEnvironments)
    this.#statements.setAnswers(batch.answers)
    const described = this.#statements.readStored
      .all(this.#statements.describedSeq.get() ?? 0, DESCRIBED_AT_ONCE)
      .map(this.#storedOf)
    for (const { row, bytes } of described) {
      const description = this.#describePayload(row, bytes(), describePayload)
      this.#statements.write.details(row.seq, description)
      this.#statements.write.columns(row, description)
      this.#statements.write.link(row, lenient)
    }
    const last = described.at(-1)?.row.seq
    if (last !== undefined) this.#statements.setProgress.run(last)
    const isUncounted = addToTotals(this.#db, last ?? this.#statements.describedSeq.get() ?? 0)
    const undetailed =
      this.#mayLackDetails && described.length === 0 ? this.#addDetails(describePayload) : []
    if (described.length === 0) this.#mayLackDetails = undetailed.length > 0
    return {
      seqs: [
        ...described.map(({ row }) => row.seq),
        ...undetailed,
        ...batch.answers.map(({ seq }) => seq),
      ],
      hasMore: described.length === DESCRIBED_AT_ONCE || isUncounted || this.#mayLackDetails,
    }
  }
}
