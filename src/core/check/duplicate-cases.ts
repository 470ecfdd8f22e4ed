/** Cases with duplicate and concurrent deliveries. */
import { headerNames } from '../../shared/service/header-names.ts'
import { defineCases } from './case-definition.ts'

const AT_ONCE = 10

const idempotencyFix =
  'Return 200 for events you already have, and process each event once. Use a unique index on payload id and event.'

export const duplicateCases = defineCases(
  {
    group: 'duplicates',
    section: '6.4',
    expectedResponse: 'accept',
    expected: '200 to each, within 20 s',
  },
  [
    {
      name: 'retry',
      title: 'Retry: same body, re-signed',
      severity: 'critical',
      sends:
        'A valid delivery, then the same body with a new timestamp and signature, like a retry.',
      why: 'If your first response gets lost, the service sends the event again. A handler that rejects the retry makes the service keep trying and record the event as failed.',
      fix: idempotencyFix,
      requests: ({ baseBody, request }) => {
        const text = baseBody('retry')
        return [
          request(text, { label: 'first attempt' }),
          request(text, { label: 'second attempt', age: -1 }),
        ]
      },
    },
    {
      name: 'message-id',
      title: 'Message id stays across attempts',
      severity: 'major',
      sends:
        'A valid delivery with a message id and attempt number 1, then the same body, re-signed, with the same id and attempt number 2.',
      why: 'Real accounts number their attempts and keep the message id. A handler that rejects a repeated id makes the service keep trying.',
      fix: idempotencyFix,
      requests({ baseBody, settings, request }) {
        const text = baseBody('message id')
        const { attemptNumber } = headerNames(settings.prefix)
        return [1, 2].map((attempt) =>
          request(text, {
            label: attempt === 1 ? 'first attempt' : 'second attempt',
            age: 1 - attempt,
            headers: (valid) => [...valid, [attemptNumber, String(attempt)]],
          }),
        )
      },
    },
    {
      name: 'no-message-id',
      title: 'No message id',
      severity: 'major',
      sends: 'A valid delivery without a message id. All other deliveries have one.',
      why: "Real accounts send a message id, but the spec doesn't promise it. A handler that requires it rejects valid deliveries.",
      fix: "If the message id is missing, recognize a repeated event by the payload's `id`.",
      requests: ({ settings, signed }) => [
        signed('no message id', {
          headers: (valid) =>
            valid.filter(([name]) => name !== headerNames(settings.prefix).messageId),
        }),
      ],
    },
    {
      name: 'twice',
      title: 'Exact duplicate',
      severity: 'minor',
      sends: 'A valid delivery, then an identical copy, byte for byte.',
      why: 'Proxies and tunnels resend a request when a connection breaks. The service counts only the response it receives.',
      fix: idempotencyFix,
      requests: ({ signed }) => {
        const request = signed('twice', { label: 'first copy' })
        return [request, { ...request, label: 'second copy' }]
      },
    },
    {
      name: 'ten-at-once',
      title: 'Ten deliveries at once, two for the same event',
      severity: 'major',
      sends: 'Ten valid deliveries at the same moment. Two of them are for the same event.',
      why: 'Clearings arrive in bursts, and a retry can overlap the first attempt. Checking for an event and then inserting it leaves a gap for a race.',
      fix: "Let the database decide: a unique index with insert-or-ignore. Don't lock the whole handler, and respond before slow work.",
      atOnce: true,
      requests: ({ signed }) =>
        Array.from({ length: AT_ONCE }, (_, index) =>
          signed(`burst ${Math.max(1, index)}`, {
            label: `${index + 1} of ${AT_ONCE}`,
            age: index,
          }),
        ),
    },
  ],
)
