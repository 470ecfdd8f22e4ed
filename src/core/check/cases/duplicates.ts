/** Duplicate and concurrent deliveries, as retries and busy days bring them. */
import type { CaseDefinition } from '../bench.ts'

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
    requests: ({ payloads, request }) => {
      const text = payloads.of(payloads.base, 'retry')
      return [
        request(text, { label: 'first attempt', age: 60_000 }),
        request(text, { label: 'second attempt' }),
      ]
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
    requests: ({ payloads, request }) => {
      const once = request(payloads.of(payloads.base, 'twice'), { label: 'first copy' })
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
    requests: ({ payloads, request }) =>
      Array.from({ length: AT_ONCE }, (_, index) =>
        request(payloads.of(payloads.base, `burst ${Math.max(1, index)}`), {
          label: `${index + 1} of ${AT_ONCE}`,
          age: index,
        }),
      ),
  },
]
