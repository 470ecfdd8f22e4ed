/** Cases about timely responses. */
import { defineCases } from './case-definition.ts'

/** Response time in milliseconds that gets a warning. */
const SLOW_MS = 5000
export const TIMED_DELIVERIES = 3

export const speedCases = defineCases(
  { group: 'speed', section: '5.2', expectedResponse: 'accept' },
  [
    {
      name: 'in-time',
      title: 'Responds within 20 s, ideally within 5 s',
      severity: 'critical',
      section: '6.4',
      sends: 'Three valid deliveries, one after another.',
      expected: '200 within 20 s; a warning above 5 s',
      why: 'After 20 s the service counts a failure and sends the event again while you still work on the first one.',
      fix: 'Verify, store and return 200. Do the work afterwards, from a queue.',
      requests: ({ signed }) =>
        Array.from({ length: TIMED_DELIVERIES }, (_, index) =>
          signed(`speed ${index}`, {
            label: `${index + 1} of ${TIMED_DELIVERIES}`,
          }),
        ),
      warn(exchanges) {
        const ms = Math.max(...exchanges.map(({ got }) => got.ms))
        return ms > SLOW_MS
          ? `The slowest response took ${(ms / 1000).toFixed(1)} s. Under load it may exceed 20 s.`
          : null
      },
    },
    {
      name: 'answers-after-reading',
      title: 'Reads the full body before it responds',
      severity: 'critical',
      sends: 'A valid delivery whose body is sent in two halves, one second apart.',
      expected: '200 after the full body has arrived, not before',
      why: "A 200 before the body has arrived means the signature wasn't checked. You would accept forged deliveries, and lose those you can't process: the service won't retry them.",
      fix: 'Read the full body, verify it and store it. Then respond, and do slow work afterwards.',
      requests: ({ signed }) => [signed('halting', { halting: true })],
      findObjection([exchange]) {
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
  ],
)
