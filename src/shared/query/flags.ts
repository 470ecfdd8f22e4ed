/** What `is:` and `has:` take: each word with its sentence, its condition in SQL over `deliveries d`, and the same in plain code. */
import type { SearchedDelivery } from './fields.ts'

interface Flag {
  readonly doc: string
  readonly sql: string
  readonly holds: (delivery: SearchedDelivery) => boolean
}

/** Yes-or-no questions about a delivery, by the word that asks them. Those that look into the body are in `flag-words.ts`. */
export const FLAGS = {
  'is:valid': {
    doc: 'a known secret proves the signature',
    sql: `d.verdict = 'valid'`,
    holds: ({ verdict }) => verdict === 'valid',
  },
  'is:invalid': {
    doc: 'no known secret proves the signature',
    sql: `d.verdict = 'invalid'`,
    holds: ({ verdict }) => verdict === 'invalid',
  },
  'is:unsigned': {
    doc: 'signature or timestamp is missing',
    sql: `d.verdict = 'unsigned'`,
    holds: ({ verdict }) => verdict === 'unsigned',
  },
  'is:unknown-hook': {
    doc: 'signed, for a path that no hook has',
    sql: `d.verdict = 'unknown-hook'`,
    holds: ({ verdict }) => verdict === 'unknown-hook',
  },
  'is:fresh': {
    doc: 'signed within five minutes of receipt',
    sql: `d.freshness = 'fresh'`,
    holds: ({ freshness }) => freshness === 'fresh',
  },
  'is:stale': {
    doc: 'signed more than five minutes before receipt',
    sql: `d.freshness = 'stale'`,
    holds: ({ freshness }) => freshness === 'stale',
  },
  'is:future': {
    doc: 'signed more than five minutes ahead',
    sql: `d.freshness = 'future'`,
    holds: ({ freshness }) => freshness === 'future',
  },
  'is:missing-timestamp': {
    doc: 'the timestamp is absent or not a number',
    sql: `d.freshness = 'missing'`,
    holds: ({ freshness }) => freshness === 'missing',
  },
  'is:duplicate': {
    doc: 'repeated after it had been acknowledged',
    sql: 'd.duplicate_of IS NOT NULL',
    holds: ({ duplicateOf }) => duplicateOf !== null,
  },
  'is:retry': {
    doc: 'a second or third attempt',
    sql: 'd.attempt_of IS NOT NULL',
    holds: ({ attemptOf }) => attemptOf !== null,
  },
  'is:malformed': {
    doc: 'not well-formed HTTP',
    sql: 'd.malformed IS NOT NULL',
    holds: ({ malformed }) => malformed !== null,
  },
  'is:truncated': {
    doc: 'the body went over the limit and only its head was kept',
    sql: 'd.truncated = 1',
    holds: ({ truncated }) => truncated,
  },
  'is:answered': {
    doc: 'the receiver has answered it',
    sql: 'd.answer_status IS NOT NULL',
    holds: ({ answer }) => answer.status !== null,
  },
  'is:refused': {
    doc: 'answered with a status of 400 or more',
    sql: 'd.answer_status >= 400',
    holds: ({ answer }) => answer.status !== null && answer.status >= 400,
  },
  'is:possible': {
    doc: 'event not identified: the body fits several events',
    sql: `d.event IS NULL AND d.event_candidates <> '[]'`,
    holds: ({ event, eventCandidates }) => event === null && eventCandidates.length > 0,
  },
  'is:test': { doc: 'of a test environment', sql: `d.mode = 'test'`, holds: ({ mode }) => mode === 'test' },
  'is:live': { doc: 'of a live environment', sql: `d.mode = 'live'`, holds: ({ mode }) => mode === 'live' },
  'is:pinned': {
    doc: 'pinned, so that retention and clearing spare it',
    sql: 'd.seq IN (SELECT seq FROM marks WHERE pinned = 1)',
    holds: ({ pinned }) => pinned,
  },
  'has:note': {
    doc: 'it has a note',
    sql: 'd.seq IN (SELECT seq FROM marks WHERE note IS NOT NULL)',
    holds: ({ note }) => note !== null,
  },
  'has:colour': {
    doc: 'it has a colour',
    sql: 'd.seq IN (SELECT seq FROM marks WHERE colour IS NOT NULL)',
    holds: ({ colour }) => colour !== null,
  },
  'has:body': { doc: 'it carried at least one byte', sql: 'd.body_size > 0', holds: ({ bodySize }) => bodySize > 0 },
  'has:hook': { doc: 'it was matched to a hook', sql: 'd.hook_id IS NOT NULL', holds: ({ hookId }) => hookId !== null },
  'has:event': { doc: 'its event is known', sql: 'd.event IS NOT NULL', holds: ({ event }) => event !== null },
} as const satisfies Readonly<Record<`${'is' | 'has'}:${string}`, Flag>>

export type FlagName = keyof typeof FLAGS
