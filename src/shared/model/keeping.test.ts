import { expect, test } from 'vitest'
import { createFilter } from '../query/matches.ts'
import { readQuery } from '../query/parse.ts'
import { BLANK_DELIVERY, type Delivery } from './delivery.ts'
import { BUILT_IN_VIEWS } from './keeping.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
const HOUR = 3_600_000

const handler = {
  name: 'local',
  target: 'http://localhost:3000/',
  sendId: 's',
  at: null,
  status: 500,
  ms: 12,
  timedOut: false,
  signed: true,
} as const

/** A valid, fresh first attempt with a body that matches its schema, received today, apart from these changes. */
const deliveries: Readonly<Record<string, Partial<Delivery>>> = {
  ordinary: {},
  'of this hour': { receivedAt: new Date(NOW - HOUR + 1_000).toISOString() },
  'of the hour before': { receivedAt: new Date(NOW - HOUR - 1_000).toISOString() },
  invalid: { verdict: 'invalid' },
  unsigned: { verdict: 'unsigned' },
  'without a hook': { verdict: 'unknown-hook' },
  stale: { freshness: 'stale' },
  'signed in the future': { freshness: 'future' },
  'imported as stale': { origin: 'imported', freshness: 'stale', verifiedHere: false },
  'a second attempt': { attempt: 2, attemptOf: 'first' },
  'a duplicate': { duplicateOf: 'first' },
  'with schema errors': { schema: 'issues', schemaErrors: 2 },
  'not JSON': { schema: 'not-json' },
  'failing at the handler': { handler: { ...handler, outcome: 'failing' } },
  'acknowledged by the handler': { handler: { ...handler, status: 200, outcome: 'acknowledged' } },
  imported: { origin: 'imported' },
  'of a flow run': { flowRun: { flow: 'card-linked', run: 'run', step: null } },
  'imported as invalid': { origin: 'imported', verdict: 'invalid', verifiedHere: false },
}

function foundBy(query: string): string[] {
  const matches = createFilter(readQuery(query, { now: NOW, hooks: [] }))
  return Object.entries(deliveries)
    .filter(([, changes]) =>
      matches({
        ...BLANK_DELIVERY,
        method: 'POST',
        path: '/h/a',
        event: 'transaction.auth',
        verdict: 'valid',
        freshness: 'fresh',
        schema: 'ok',
        verifiedHere: true,
        receivedAt: new Date(NOW - 5 * HOUR).toISOString(),
        ...changes,
        body: new TextEncoder().encode('{}'),
      }),
    )
    .map(([name]) => name)
}

test('each built-in view finds what its name says, and nothing else', () => {
  expect(
    Object.fromEntries(BUILT_IN_VIEWS.map(({ name, query }) => [name, foundBy(query)])),
  ).toEqual({
    All: Object.keys(deliveries),
    Invalid: ['invalid'],
    Stale: ['stale', 'signed in the future'],
    Retried: ['a second attempt'],
    'Schema errors': ['with schema errors'],
    'Failing at my handler': ['failing at the handler'],
    Imported: ['imported as stale', 'imported', 'imported as invalid'],
    'Flow runs': ['of a flow run'],
    'Last hour': ['of this hour'],
  })
})
