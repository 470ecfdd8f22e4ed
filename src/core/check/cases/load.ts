/** Duplicate and concurrent deliveries, as retries and busy days bring them, and how fast the endpoint responds. */
import type { CaseDefinition } from '../bench.ts'
import { headerNames } from '../../../shared/service/header-rules.ts'

// Whether the endpoint responds in time, and only after it has read the full body.

/** Slower responses get a warning, although the service waits four times as long. */
const SLOW_MS = 5_000
const COUNT = 3

export const speedCases: readonly CaseDefinition[] = [
  {
    name: 'in-time',
    group: 'speed',
    title: 'Responds within 20 s, ideally within 5 s',
    severity: 'critical',
    section: '6.4',
    sends: 'Three valid deliveries, one after another.',
    expected: '200 within 20 s; a warning above 5 s',
    why: 'After 20 s the service counts a failure and sends the event again while you still work on the first one.',
    fix: 'Verify, store and return 200. Do the work afterwards, from a queue.',
    wanted: 'accept',
    requests: ({ plain, request }) =>
      Array.from({ length: COUNT }, (_, index) =>
        request(plain(`speed ${index}`), {
          label: `${index + 1} of ${COUNT}`,
        }),
      ),
    warn(exchanges) {
      const ms = Math.max(...exchanges.map(({ got }) => got.ms))
      return ms > SLOW_MS
        ? `The slowest response took ${(ms / 1_000).toFixed(1)} s. Under load it may exceed 20 s.`
        : null
    },
  },
  {
    name: 'answers-after-reading',
    group: 'speed',
    title: 'Reads the full body before it responds',
    severity: 'critical',
    section: '5.2',
    sends: 'A valid delivery whose body is sent in two halves, one second apart.',
    expected: '200 after the full body has arrived, not before',
    why: "A 200 before the body has arrived means the signature wasn't checked. You would accept forged deliveries, and lose those you can't process: the service won't retry them.",
    fix: 'Read the full body, verify it and store it. Then respond, and do slow work afterwards.',
    wanted: 'accept',
    requests: ({ plain, request }) => [request(plain('halting'), { halting: true })],
    object([exchange]) {
      return exchange?.got.early === true &&
        exchange.got.status !== null &&
        exchange.got.status < 300
        ? {
            decisive: 0,
            message: `Your handler returned ${exchange.got.status} after half of the body, so it can't have checked the signature.`,
          }
        : null
    },
  },
]

const AT_ONCE = 10
const accepts = '200 to each, within 20 s'
const idempotent =
  'Return 200 for events you already have, and process each event once. Use a unique index on payload id and event.'

export const duplicateCases: readonly CaseDefinition[] = [
  {
    name: 'retry',
    group: 'duplicates',
    title: 'Retry: same body, re-signed',
    severity: 'critical',
    section: '6.4',
    sends: 'A valid delivery, then the same body with a new timestamp and signature, like a retry.',
    expected: accepts,
    why: 'If your first response gets lost, the service sends the event again. A handler that rejects the retry makes the service keep trying and record the event as failed.',
    fix: idempotent,
    wanted: 'accept',
    requests: ({ plain, request }) => {
      const text = plain('retry')
      return [
        request(text, { label: 'first attempt', age: 60_000 }),
        request(text, { label: 'second attempt' }),
      ]
    },
  },
  {
    name: 'message-id',
    group: 'duplicates',
    title: 'Message id stays across attempts',
    severity: 'major',
    section: '6.4',
    sends:
      'A valid delivery with a message id and attempt number 1, then the same body, re-signed, with the same id and attempt number 2.',
    expected: accepts,
    why: 'Real accounts number their attempts and keep the message id. A handler that rejects a repeated id makes the service keep trying.',
    fix: idempotent,
    wanted: 'accept',
    requests({ plain, settings, request }) {
      const text = plain('message id')
      const { messageId } = headerNames(settings.prefix)
      const id = /"id":"([^"]+)"/.exec(text)?.[1] ?? 'message-1'
      return [1, 2].map((attempt) =>
        request(text, {
          label: attempt === 1 ? 'first attempt' : 'second attempt',
          age: attempt === 1 ? 60_000 : 0,
          headers: (genuine) => [
            ...genuine,
            [messageId, id],
            [messageId.replace('message-id', 'attempt-number'), String(attempt)],
          ],
        }),
      )
    },
  },
  {
    name: 'twice',
    group: 'duplicates',
    title: 'Exact duplicate',
    severity: 'minor',
    section: '6.4',
    sends: 'A valid delivery, then an identical copy, byte for byte.',
    expected: accepts,
    why: 'Proxies and tunnels resend a request when a connection breaks. The service counts only the response it receives.',
    fix: idempotent,
    wanted: 'accept',
    requests: ({ plain, request }) => {
      const once = request(plain('twice'), { label: 'first copy' })
      return [once, { ...once, label: 'second copy' }]
    },
  },
  {
    name: 'ten-at-once',
    group: 'duplicates',
    title: 'Ten deliveries at once, two for the same event',
    severity: 'major',
    section: '6.4',
    sends: 'Ten valid deliveries at the same moment. Two of them are for the same event.',
    expected: accepts,
    why: 'Clearings arrive in bursts, and a retry can overlap the first attempt. Checking for an event and then inserting it leaves a gap for a race.',
    fix: "Let the database decide: a unique index with insert-or-ignore. Don't lock the whole handler, and respond before slow work.",
    wanted: 'accept',
    atOnce: true,
    requests: ({ plain, request }) =>
      Array.from({ length: AT_ONCE }, (_, index) =>
        request(plain(`burst ${Math.max(1, index)}`), {
          label: `${index + 1} of ${AT_ONCE}`,
          age: index,
        }),
      ),
  },
]
