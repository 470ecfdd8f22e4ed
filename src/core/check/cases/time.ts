/** Signature age: an old but valid signature may belong to a captured delivery that someone sends again. */
import { headerNames } from '../../../shared/service/header-rules.ts'
import type { CaseDefinition } from '../bench.ts'

const MINUTE = 60_000
const refuses = 'a 4xx status, such as 401'
const replayed =
  'Anyone who captures one valid delivery can send it again and again. Its signature stays valid; only its age gives it away.'
const window =
  'Reject a delivery if its timestamp (milliseconds since 1970, UTC) is more than 5 minutes from your clock in either direction.'

export const timeCases: readonly CaseDefinition[] = [
  {
    name: 'stale',
    group: 'time',
    title: 'Signed ten minutes ago',
    severity: 'major',
    section: '5.2',
    sends: 'A correctly signed delivery with a timestamp ten minutes old.',
    expected: refuses,
    why: replayed,
    fix: window,
    wanted: 'refuse',
    requests: ({ plain, request }) => [request(plain('time, stale'), { age: 10 * MINUTE })],
  },
  {
    name: 'future',
    group: 'time',
    title: 'Signed ten minutes ahead',
    severity: 'major',
    section: '5.2',
    sends: 'A correctly signed delivery with a timestamp ten minutes in the future.',
    expected: refuses,
    why: 'A future timestamp stays valid for longer than your window. It can also mean that a clock is wrong.',
    fix: `${window} Compare the absolute difference.`,
    wanted: 'refuse',
    requests: ({ plain, request }) => [request(plain('time, future'), { age: -10 * MINUTE })],
  },
  {
    name: 'seconds',
    group: 'time',
    title: 'Timestamp in seconds',
    severity: 'minor',
    section: '5.2',
    sends: 'A delivery correctly signed over a timestamp in seconds.',
    expected: refuses,
    why: "Timestamps are in milliseconds, so this one falls in January 1970. A handler that accepts it doesn't check the age, or would read real timestamps as far in the future.",
    fix: window,
    wanted: 'refuse',
    requests: ({ plain, request, now }) => [
      request(plain('time, seconds'), {
        timestamp: String(Math.trunc(now() / 1_000)),
      }),
    ],
  },
  {
    name: 'no-number',
    group: 'time',
    title: 'Timestamp missing or not a number',
    severity: 'major',
    section: '5.2',
    sends:
      'Deliveries correctly signed over the timestamp `now`, over an empty timestamp, and without the header.',
    expected: refuses,
    why: 'Comparisons with NaN are always false, so `age > window` lets the delivery through.',
    fix: 'Parse the timestamp strictly. Reject anything except digits.',
    wanted: 'refuse',
    requests: ({ plain, request, settings }) => {
      const text = (which: string) => plain(`time, ${which}`)
      const { timestamp: name } = headerNames(settings.prefix)
      return [
        request(text('now'), { label: 'now', timestamp: 'now' }),
        request(text('empty'), { label: 'empty', timestamp: '' }),
        request(text('missing'), {
          label: 'missing',
          timestamp: '',
          headers: (genuine) => genuine.filter(([each]) => each !== name),
        }),
      ]
    },
  },
  {
    name: 'clock-difference',
    group: 'time',
    title: 'Small clock differences',
    severity: 'major',
    section: '5.2',
    sends: 'Valid deliveries with a timestamp 60 s old, and one 5 s ahead.',
    expected: '200 within 20 s',
    why: 'Clocks are never quite in sync, and a delivery can wait in a queue. The recommended window is 5 minutes.',
    fix: 'Allow 5 minutes in both directions.',
    wanted: 'accept',
    requests: ({ plain, request }) => [
      request(plain('clock 1'), { label: '60 s old', age: MINUTE }),
      request(plain('clock 2'), { label: '5 s ahead', age: -5_000 }),
    ],
  },
]
