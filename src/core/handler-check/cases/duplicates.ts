/** Deliveries that come twice, and many at once: what retries and busy days bring. */
import type { CheckCase } from '../bench.ts'

const AT_ONCE = 10
const accepts = '200 to each, within 20 s'
const idempotent =
  'Answer 200 to what you have already, and book it once: by the id in the payload together with the event, in a unique index.'

export const duplicateCases: readonly CheckCase[] = [
  {
    name: 'retry',
    group: 'duplicates',
    title: 'A retry: the same body, signed anew',
    severity: 'critical',
    section: '6.4',
    sends: 'A genuine delivery and, as a retry would be, the same body with a new timestamp and a new signature.',
    expected: accepts,
    why: 'Where the first answer is lost on the way, the service sends the event again. A handler that refuses it makes the service go on trying, and tells it at last that the event failed.',
    fix: idempotent,
    wanted: 'accept',
    requests: ({ payloads, request }) => {
      const text = payloads.of(payloads.base, 'retry')
      return [request(text, { label: 'first attempt', age: 60_000 }), request(text, { label: 'second attempt' })]
    },
  },
  {
    name: 'twice',
    group: 'duplicates',
    title: 'The same delivery twice, byte for byte',
    severity: 'minor',
    section: '6.4',
    sends: 'A genuine delivery, and exactly the same one once more.',
    expected: accepts,
    why: 'Proxies and tunnels send a request again when a connection breaks. The service counts only the answer that it gets.',
    fix: idempotent,
    wanted: 'accept',
    requests: ({ payloads, request }) => {
      const once = request(payloads.of(payloads.base, 'twice'), { label: 'first time' })
      return [once, { ...once, label: 'second time' }]
    },
  },
  {
    name: 'ten-at-once',
    group: 'duplicates',
    title: 'Ten deliveries at once, one of them twice',
    severity: 'major',
    section: '6.4',
    sends: 'Ten genuine deliveries at the same moment, two of which tell of the same event.',
    expected: accepts,
    why: 'Clearings come in bursts, and a retry can meet the first attempt: between "is it there?" and "insert" there is room for the other one.',
    fix: 'Let the database decide (a unique index and insert-or-ignore), take no lock over the whole handler, and answer before slow work.',
    wanted: 'accept',
    atOnce: true,
    requests: ({ payloads, request }) =>
      Array.from({ length: AT_ONCE }, (_, index) =>
        request(payloads.of(payloads.base, `burst ${Math.max(1, index)}`), { label: `${index + 1} of ${AT_ONCE}`, age: index }),
      ),
  },
]
