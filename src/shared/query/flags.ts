/**
 * Flags of the search language with their SQL conditions over `deliveries d`. Abbreviations are in
 * `flag-words.ts`.
 */

interface Flag {
  readonly doc: string
  readonly sql: string
}

export const FLAGS = {
  'is:valid': {
    doc: 'signature matches a known secret',
    sql: `d.verdict = 'valid'`,
  },
  'is:invalid': {
    doc: 'signature matches no known secret',
    sql: `d.verdict = 'invalid'`,
  },
  'is:unsigned': {
    doc: 'no signature or timestamp',
    sql: `d.verdict = 'unsigned'`,
  },
  'is:unknown-hook': {
    doc: 'signed, but no hook has this path',
    sql: `d.verdict = 'unknown-hook'`,
  },
  'is:verified': {
    doc: 'the verdict was computed here, not claimed by an imported file',
    sql: 'd.verified_here = 1',
  },
  'is:fresh': {
    doc: 'signed within five minutes of receipt',
    sql: `d.freshness = 'fresh'`,
  },
  'is:stale': {
    doc: 'signed more than five minutes before receipt',
    sql: `d.freshness = 'stale'`,
  },
  'is:future': {
    doc: 'signed more than five minutes after receipt',
    sql: `d.freshness = 'future'`,
  },
  'is:missing-timestamp': {
    doc: 'timestamp missing or not a number',
    sql: `d.freshness = 'missing'`,
  },
  'is:duplicate': {
    doc: 'received again after it was acknowledged',
    sql: 'd.duplicate_of IS NOT NULL',
  },
  'is:retry': {
    doc: 'second or third attempt',
    sql: 'd.attempt_of IS NOT NULL',
  },
  'is:malformed': {
    doc: 'not valid HTTP',
    sql: 'd.malformed IS NOT NULL',
  },
  'is:truncated': {
    doc: 'body over the limit; only its start is stored',
    sql: 'd.truncated = 1',
  },
  'is:answered': {
    doc: 'the receiver has responded',
    sql: 'd.answer_status IS NOT NULL',
  },
  'is:refused': {
    doc: 'status 400 or higher returned',
    sql: 'd.answer_status >= 400',
  },
  'is:possible': {
    doc: 'event not identified: the body fits several events',
    sql: `d.event IS NULL AND d.event_candidates <> '[]'`,
  },
  'is:test': {
    doc: 'in a test environment',
    sql: `d.mode = 'test'`,
  },
  'is:live': {
    doc: 'in a live environment',
    sql: `d.mode = 'live'`,
  },
  'is:imported': {
    doc: 'imported from a file',
    sql: `d.origin = 'imported'`,
  },
  'is:flow': {
    doc: 'caused by a flow run; hidden unless named',
    sql: 'd.seq IN (SELECT seq FROM flow_deliveries)',
  },
  'is:composed': {
    doc: 'composed here and sent with countersign send; hidden unless named',
    sql: 'd.seq IN (SELECT seq FROM composed)',
  },
  'is:reported': {
    doc: 'copied from elsewhere and kept, not received',
    sql: `d.origin = 'reported'`,
  },
  'is:shared': {
    doc: 'from a shareable capture: values replaced, signed again',
    sql: `d.origin = 'shared'`,
  },
  'is:pinned': {
    doc: 'pinned: protected from clearing and limits',
    sql: 'd.seq IN (SELECT seq FROM marks WHERE pinned = 1)',
  },
  'has:name': {
    doc: 'a composed request with a name',
    sql: 'd.seq IN (SELECT seq FROM composed WHERE name IS NOT NULL)',
  },
  'has:note': {
    doc: 'has a note',
    sql: 'd.seq IN (SELECT seq FROM marks WHERE note IS NOT NULL)',
  },
  'has:body': {
    doc: "the body isn't empty",
    sql: 'd.body_size > 0',
  },
  'has:hook': {
    doc: 'matched to a hook',
    sql: 'd.hook_id IS NOT NULL',
  },
  'response:failing': {
    doc: 'your handler returned the wrong response',
    sql: `EXISTS (SELECT 1 FROM handler_responses returned WHERE returned.seq = d.seq AND returned.outcome = 'failing')`,
  },
  'response:none': {
    doc: 'no handler response recorded',
    sql: 'NOT EXISTS (SELECT 1 FROM handler_responses returned WHERE returned.seq = d.seq)',
  },
  'has:event': {
    doc: 'the event is known',
    sql: 'd.event IS NOT NULL',
  },
} as const satisfies Readonly<Record<`${'is' | 'has' | 'response'}:${string}`, Flag>>

export type FlagName = keyof typeof FLAGS
