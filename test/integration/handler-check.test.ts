import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { conclude } from '../../src/core/check/conclusions.ts'
import { prepareCheck, runPrepared, type CheckInput } from '../../src/core/check/prepare-check.ts'
import { createGuard } from '../../src/core/outgoing/wire/guarded-sender.ts'
import { Admission } from '../../src/core/outgoing/admit.ts'
import { systemClock } from '../../src/core/base/system-clock.ts'
import { listen } from '../support/listen.ts'
import { times } from '../support/long-form.ts'
import { scoreOf, type CheckResult } from '../../src/shared/model/check.ts'
import {
  REGISTERED_URL,
  SECRET,
  startHandler,
  startPythonHandler,
  type Defect,
} from '../support/check-handlers.ts'
import { noSecrets } from '../support/no-secrets.ts'

const guard = createGuard({
  clock: systemClock,
  resolve: () => Promise.reject(new Error('No name is looked up here.')),
  caPem: null,
  ownPorts: () => new Set(),
})
const admission = new Admission({ guard, known: null })

function inputFor(target: string, more: Partial<CheckInput> = {}): CheckInput {
  return {
    target,
    registeredUrl: REGISTERED_URL,
    signers: [{ event: null, secret: SECRET, url: null, headers: {} }],
    hookIds: [],
    otherPrefixes: ['acme'],
    literals: {},
    prefix: 'service',
    ack: '200',
    events: [],
    only: [],
    skip: [],
    rate: 10_000,
    seed: 7,
    live: true,
    targetCa: null,
    consent: { allowHosts: [], live: true },
    ...more,
  }
}

async function check(target: string, more?: Partial<CheckInput>): Promise<CheckResult[]> {
  const deps = { clock: systemClock, admission, ...noSecrets }
  const prepared = await prepareCheck(deps, inputFor(target, more))
  const results: CheckResult[] = []
  const onResult = (result: CheckResult) => results.push(result)
  await runPrepared(deps, prepared, onResult, new AbortController().signal)
  expect(results.map(({ name }) => name)).toEqual(prepared.cases.map(({ name }) => name))
  return results
}

function summary(results: readonly CheckResult[]) {
  const namesOf = (outcome: CheckResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).map(({ name }) => name)
  return {
    failed: namesOf('fail'),
    skipped: namesOf('skip'),
    causes: conclude(results, '200').map(({ cause }) => cause),
  }
}

const seeds = Array.from({ length: times(1, 20) }, (_, place) => 7 + place)

/** Checks a handler with each seed, started again for each. */
async function checked(
  start: () => Promise<{ readonly url: string; close(): Promise<void> }>,
  more?: Partial<CheckInput>,
) {
  const all: CheckResult[][] = []
  for (const seed of seeds) {
    const handler = await start()
    try {
      all.push(await check(handler.url, { seed, ...more }))
    } finally {
      await handler.close()
    }
  }
  return all
}

test.concurrent.each([
  ['in TypeScript', 'service', () => startHandler()],
  [
    'in TypeScript that rejects an id with other content',
    'service',
    () => startHandler('rejects-changed-repeats'),
  ],
  ['in TypeScript with header names of its own', 'acme', () => startHandler('own-prefix')],
  ...(
    [
      'refuses-with-400',
      'refuses-with-403',
      'answers-with-text',
      'window-of-two-minutes',
      'checks-content-type',
    ] as const
  ).map((kind) => [kind, 'service', () => startHandler(kind)] as const),
  ['in Python', 'service', () => startPythonHandler()],
] as const)('a correct handler %s passes every case', async (_language, prefix, start) => {
  for (const results of await checked(start, { prefix })) {
    expect(
      results
        .filter(({ outcome }) => outcome !== 'pass')
        .map(({ name, message }) => [name, message]),
    ).toEqual([])
    expect(scoreOf(results)).toBe(100)
  }
})

const forged = [
  'altered-body',
  'wrong-secret',
  'single-pass',
  'host-url',
  'no-signature',
  'no-timestamp',
  'spelling',
  'other-ending',
  'letter-case',
  'other-letters',
]
const time = ['stale', 'future', 'seconds', 'no-number']
const repeats = ['retry', 'message-id', 'twice', 'ten-at-once']
const first = 'first-delivery'

/**
 * Handlers with one mistake: the causes that are concluded, the failed cases if they are always the
 * same, and part of a message.
 */
const single: readonly (readonly [
  Defect,
  readonly string[],
  (readonly string[] | null)?,
  string?,
])[] = [
  ['single-hash', ['single-pass'], [first, 'single-pass']],
  ['host-url', ['host-url'], [first, 'host-url']],
  ['url-left-out', ['other-signing-method'], [first], "The URL wasn't signed"],
  ['decodes-its-secret', ['other-signing-method'], [first], 'decoded from Base64'],
  ['writes-like-python', ['other-signing-method'], [first], 'spaces after commas'],
  ['wrong-secret', ['refuses-all'], [first]],
  ['reserialised', ['reserialised'], ['escapes', 'numbers', 'layout']],
  ['reads-latin', [], ['unicode', 'split-letter']],
  ['plain-amounts', [], ['numbers']],
  ['strict-fields', [], ['unknown-field']],
  ['rejects-repeats', [], repeats],
  ['no-timestamp-check', ['no-time'], time],
  ['nan-passes', [], ['no-number']],
  ['only-past', [], ['future']],
  ['takes-seconds', [], ['seconds']],
  ['short-window', [], ['clock-difference']],
  ['answers-first', ['answers-first'], [...forged, ...time, 'answers-after-reading']],
  ['never-checks', ['no-check'], [...forged, ...time]],
  ['rejects-only-repeats', ['no-check'], [...forged, ...time, ...repeats]],
  ['checks-only-time', ['no-check'], forged.filter((name) => name !== 'no-timestamp')],
  ['optional-signature', [], ['no-signature']],
  ['throws-if-forged', [], forged],
  ['inverted', ['no-check']],
  ['null-offer', ['crashes'], null, 'returns 500 when `offer` is null.'],
  [
    'requires-offer',
    ['rejects-payload'],
    [first, 'purchases', 'refunds', 'unmatched-refund'],
    'returns 422 when `offer` is null.',
  ],
  [
    'only-cards',
    ['rejects-payload'],
    null,
    'returns 422 for a valid transaction.auth, but not for card.linked.',
  ],
  ['answers-204', ['not-acknowledged'], [first]],
  ['always-fails', ['answers-alike'], [first], 'returns 500 to every request'],
  ['fails-once-checked', ['after-signature'], [first], 'After it, your handler returns 500.'],
  [
    'knows-no-card',
    ['after-signature'],
    [first],
    'Your signature check accepts this. After it, your handler returns 404: `{"error":"card not found"}`.',
  ],
  [
    'wrong-path',
    ['answers-alike'],
    [first],
    '404 to every request, unsigned ones too: `Cannot POST /in`',
  ],
  ['csrf-in-front', ['answers-alike'], [first], '`CSRF verification failed`.'],
  [
    'own-prefix',
    ['other-headers'],
    [first],
    'Your handler reads the signature from `x-acme-signature`,',
  ],
  [
    'plain-header-names',
    ['other-headers'],
    [first],
    'Your handler reads the signature from `signature`,',
  ],
  [
    'compares-hexadecimal',
    ['other-signing-method'],
    [first, 'spelling'],
    'The signature was in hexadecimal.',
  ],
  ['hexadecimal-twice', ['other-signing-method'], [first], 'The signature was in hexadecimal'],
  ['orders-time-first', ['other-signing-method'], [first], 'order'],
  ['joins-with-dots', ['other-signing-method'], [first], 'dot'],
  ['signs-python-bytes', ['other-signing-method'], [first], "b'"],
  ['amount-as-text', ['rejects-payload'], null, 'returns 422 because of `amount`, which is valid'],
  ['time-with-zone', ['rejects-payload'], null, 'returns 400 because of `datetime`,'],
  [
    'strict-keys',
    ['rejects-payload'],
    null,
    'returns 400 because of `cardPresent` and `cleared`, which are valid: `Unrecognized keys: "cleared", "cardPresent"`.',
  ],
  ['requires-all', ['rejects-payload'], null, 'returns 422 when `offer` and `wallet` are null.'],
  [
    'only-other-currency',
    ['rejects-payload'],
    [first],
    'because of `currency`, which is valid: `currency not supported`.',
  ],
  ['compares-the-beginning', [], ['spelling', 'other-ending']],
  ['strict-objects', [], ['unknown-field']],
  ['reads-seconds', ['wrong-unit'], null, 'in seconds'],
  ['needs-message-id', ['needs-message-id'], ['no-message-id'], 'requires a message id'],
  ['reads-absent-metadata', ['crashes'], null, 'when `card.metadata` is absent'],
  ['decodes-parts', [], ['split-letter']],
  ['ignores-letter-case', [], ['letter-case']],
  ['compares-letters', [], ['other-letters']],
  ['unequal-lengths', ['unequal-lengths'], null, 'another length'],
  ['redirects', ['redirects'], [first]],
  ['starts-slowly', ['unsteady'], [first]],
  ['every-third', ['unsteady']],
  ['first-of-three', ['unsteady']],
  ['alternates', ['unsteady']],
]

/** Two mistakes, which are named in the order in which the handler runs into them. */
const pairs: readonly (readonly [Defect, Defect, readonly string[]])[] = [
  ['single-hash', 'answers-201', ['single-pass', 'not-acknowledged']],
  ['single-hash', 'null-offer', ['single-pass', 'crashes']],
  ['single-hash', 'requires-offer', ['single-pass', 'rejects-payload']],
  ['reads-offer-first', 'single-hash', ['crashes', 'single-pass']],
  ['requires-offer-first', 'single-hash', ['rejects-payload', 'single-pass']],
  ['null-offer', 'no-timestamp-check', ['crashes', 'no-time']],
  ['requires-offer', 'reserialised', ['rejects-payload', 'reserialised']],
  ['null-offer', 'never-checks', ['crashes', 'no-check']],
  ['answers-201', 'reserialised', ['not-acknowledged', 'reserialised']],
  ['answers-204', 'never-checks', ['not-acknowledged', 'no-check']],
  ['reserialised', 'no-timestamp-check', ['no-time', 'reserialised']],
  ['starts-slowly', 'no-timestamp-check', ['unsteady', 'no-time']],
  ['throws-if-forged', 'single-hash', ['single-pass']],
]

test.concurrent.each(single.map((row) => [row[0], row[1], row] as const))(
  'for a handler with the defect %s, %j is concluded',
  async (defect, causes, [, , failed, message]) => {
    for (const results of await checked(() => startHandler(defect))) {
      const found = summary(results)
      expect(found.causes).toEqual(causes)
      expect(found.failed).toEqual(failed ?? found.failed)
      expect(conclude(results, '200')[0]?.message ?? '').toContain(message ?? '')
    }
  },
)

test.concurrent.each(pairs)(
  'for a handler with the defects %s and %s, %j are concluded',
  async (one, other, causes) => {
    for (const results of await checked(() => startHandler(one, other)))
      expect(summary(results).causes).toEqual(causes)
  },
)

test('for a handler in Python that parses the body and writes it again, that is concluded', async () => {
  for (const results of await checked(() => startPythonHandler('reserialised')))
    expect(summary(results).causes).toEqual(['reserialised'])
})

/** Checks an endpoint whose status only depends on the request's number, from 0. */
async function checkAnswering(
  statusOf: (place: number) => number,
  more?: Partial<CheckInput>,
): Promise<CheckResult[]> {
  let place = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(statusOf(place++)).end())
  })
  const port = await listen(server)
  try {
    return await check(`http://127.0.0.1:${port}/in`, more)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const onlyFirst: Partial<CheckInput> = { only: ['first-delivery'] }

test.concurrent.each<
  readonly [string, (place: number) => number, Partial<CheckInput>, readonly string[]]
>([
  ['500 once, then 200', (place) => (place === 0 ? 500 : 200), {}, ['unsteady', 'no-check']],
  ['401 once, then 200', (place) => (place === 0 ? 401 : 200), {}, ['unsteady', 'no-check']],
  [
    '401 once, then 200, to the first case only',
    (place) => (place === 0 ? 401 : 200),
    onlyFirst,
    ['unsteady'],
  ],
  ['500 and 200 alternately', (place) => (place % 2 === 0 ? 500 : 200), {}, ['unsteady']],
  [
    '500 and 200 alternately, to the first case only',
    (place) => (place % 2 === 0 ? 500 : 200),
    onlyFirst,
    ['unsteady'],
  ],
  ['401 and 200 alternately', (place) => (place % 2 === 0 ? 401 : 200), {}, ['unsteady']],
  // Random, but the same each time.
  ['401 or 200', (place) => ((place * 7) % 5 < 3 ? 401 : 200), {}, ['unsteady']],
])(
  'a handler that returns %s to everything gets no signing recipe',
  async (_name, statusOf, more, causes) => {
    const results = await checkAnswering(statusOf, more)
    expect(summary(results).causes).toEqual(causes)
    expect(results[0]?.findings?.map(({ cause }) => cause)).toEqual(['unsteady:once'])
  },
)
