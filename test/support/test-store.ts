import { hash } from 'node:crypto'
import { v7 } from 'uuid'
import type { NewVerdict } from '../../src/core/store/late-verdicts.ts'
import type { QueuedCapture } from '../../src/core/store/group-commit.ts'

/** Creates a delivery as the receiver passes it to the store; parts can be replaced. */
export function captureOf(
  body: string | Uint8Array,
  row: Partial<QueuedCapture['row']> = {},
): QueuedCapture {
  const bytes = Buffer.from(body)
  return {
    row: {
      id: v7(),
      receivedAt: 1_763_700_000_000,
      method: 'POST',
      path: '/h/test',
      malformed: null,
      httpVersion: '1.1',
      headers: '[]',
      trailers: null,
      bodySize: bytes.length,
      bodySha256: hash('sha256', bytes, 'hex'),
      truncated: false,
      remote: null,
      event: null,
      eventSource: null,
      hookId: null,
      environment: null,
      mode: null,
      verdict: 'unsigned',
      freshness: 'missing',
      notificationKey: null,
      replayOf: null,
      ...row,
    },
    body: bytes,
  }
}

type KnownElsewhere = NonNullable<QueuedCapture['row']['importedFacts']>

export function knownElsewhere(changes: Partial<KnownElsewhere> = {}): KnownElsewhere {
  return {
    attempt: 1,
    attemptOf: null,
    duplicateOf: null,
    answer: { status: null, ms: null },
    pinned: false,
    note: null,
    cause: null,
    response: null,
    origin: 'imported',
    verifiedHere: false,
    ...changes,
  }
}

export function verifiedClaim(seq: number): NewVerdict {
  const hook = { hookId: 'h', event: 'card.linked', environment: 'test' }
  return { seq, verdict: 'valid', freshness: null, ...hook, mode: 'test', schema: 'ok', at: null }
}
