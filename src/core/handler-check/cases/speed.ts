/** How fast it answers, and whether it knows by then what it answers to. */
import type { CheckExchange } from '../../../shared/model/check.ts'
import type { CheckCase } from '../bench.ts'

/** Slower than this is told of, though the service waits four times as long. */
const SLOW_MS = 5_000
const COUNT = 3

function slowest(exchanges: readonly CheckExchange[]): number {
  return Math.max(...exchanges.map(({ got }) => got.ms))
}

export const speedCases: readonly CheckCase[] = [
  {
    name: 'in-time',
    group: 'speed',
    title: 'Answers within 20 s, better within 5 s',
    severity: 'critical',
    section: '6.4',
    sends: 'Three genuine deliveries, one after another.',
    expected: '200 within 20 s; above 5 s it is told as a warning',
    why: 'After 20 s the service counts a failure and sends the event again, while the first one is still being worked on.',
    fix: 'Verify, store, answer 200, and do the work afterwards, from a queue.',
    wanted: 'accept',
    requests: ({ payloads, request }) =>
      Array.from({ length: COUNT }, (_, index) =>
        request(payloads.of(payloads.base, `speed ${index}`), { label: `${index + 1} of ${COUNT}` }),
      ),
    warn(exchanges) {
      const ms = slowest(exchanges)
      return ms > SLOW_MS
        ? `The slowest answer took ${(ms / 1_000).toFixed(1)} s. It is in time, but a busy day will take it beyond 20 s.`
        : null
    },
  },
  {
    name: 'answers-after-reading',
    group: 'speed',
    title: 'Does not answer before it has read the body',
    severity: 'critical',
    section: '5.2',
    sends: 'A genuine delivery of whose body one half goes at once and the other a second later.',
    expected: '200 once the whole body has come, and not before',
    why: 'Who answers 200 before the body is there has not checked the signature. What is refused afterwards is never sent again, and what is forged was accepted.',
    fix: 'Read the whole body, verify it, store it, and then answer. Only the work behind that may come later.',
    wanted: 'accept',
    requests: ({ payloads, request }) => [request(payloads.of(payloads.base, 'halting'), { halting: true })],
    object([exchange]) {
      return exchange?.got.early === true && exchange.got.status !== null && exchange.got.status < 300
        ? {
            decisive: 0,
            message: `It answered ${exchange.got.status} when half of the body had come: it cannot have checked the signature.`,
          }
        : null
    },
  },
]
