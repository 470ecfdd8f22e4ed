/** The time of the signature: what is genuine and old may be somebody sending a captured delivery again. */
import { headerNames } from '../../../shared/service/header-names.ts'
import type { CheckCase } from '../bench.ts'

const MINUTE = 60_000
const refuses = 'an answer from 400 to 499, such as 401'
const replayed =
  'Whoever has captured one genuine delivery can send it again as often as wanted, and its signature stays right. Only its age tells.'
const window =
  'Refuse a delivery whose timestamp, in milliseconds since 1970 UTC, is more than 5 minutes from your clock in either direction.'

export const timeCases: readonly CheckCase[] = [
  {
    name: 'stale',
    group: 'time',
    title: 'Signed ten minutes ago',
    severity: 'major',
    section: '5.2',
    sends: 'A delivery that is rightly signed, with a timestamp ten minutes old.',
    expected: refuses,
    why: replayed,
    fix: window,
    wanted: 'refuse',
    requests: ({ payloads, request }) => [request(payloads.of(payloads.base, 'time'), { age: 10 * MINUTE })],
  },
  {
    name: 'future',
    group: 'time',
    title: 'Signed ten minutes ahead',
    severity: 'major',
    section: '5.2',
    sends: 'A delivery that is rightly signed, with a timestamp ten minutes in the future.',
    expected: refuses,
    why: 'A timestamp far ahead stays inside the window for longer than the window is. It also shows a clock that is wrong.',
    fix: `${window} Compare the absolute difference.`,
    wanted: 'refuse',
    requests: ({ payloads, request }) => [request(payloads.of(payloads.base, 'time'), { age: -10 * MINUTE })],
  },
  {
    name: 'seconds',
    group: 'time',
    title: 'A timestamp in seconds',
    severity: 'minor',
    section: '5.2',
    sends: 'A delivery that is rightly signed over a timestamp in seconds.',
    expected: refuses,
    why: 'The timestamp is in milliseconds. Read as such, this one is of January 1970: a handler that takes it does not check its age, or takes the real ones for the far future.',
    fix: window,
    wanted: 'refuse',
    requests: ({ payloads, request, now }) => [
      request(payloads.of(payloads.base, 'time'), { timestamp: String(Math.trunc(now() / 1_000)) }),
    ],
  },
  {
    name: 'no-number',
    group: 'time',
    title: 'A timestamp that is no number, or none',
    severity: 'major',
    section: '5.2',
    sends: 'Deliveries that are rightly signed over the timestamp `now`, over an empty one, and over none without the header.',
    expected: refuses,
    why: 'Every comparison with what is not a number is false: `age > window` is false too, and the delivery passes.',
    fix: 'Read the timestamp strictly, as digits alone, and refuse what is none.',
    wanted: 'refuse',
    requests: ({ payloads, request, settings }) => {
      const text = payloads.of(payloads.base, 'time')
      const { timestamp: name } = headerNames(settings.prefix)
      return [
        request(text, { label: 'now', timestamp: 'now' }),
        request(text, { label: 'empty', timestamp: '' }),
        request(text, { label: 'none', timestamp: '', headers: (genuine) => genuine.filter(([each]) => each !== name) }),
      ]
    },
  },
  {
    name: 'clock-difference',
    group: 'time',
    title: 'Clocks that differ a little',
    severity: 'major',
    section: '5.2',
    sends: 'Genuine deliveries with a timestamp 60 s old, and one 5 s ahead.',
    expected: '200 within 20 s',
    why: 'Two machines never have quite the same time, and a delivery can wait in a queue. The recommended window is 5 minutes.',
    fix: 'Allow 5 minutes, and the same into the future.',
    wanted: 'accept',
    requests: ({ payloads, request }) => [
      request(payloads.of(payloads.base, 'clock 1'), { label: '60 s old', age: MINUTE }),
      request(payloads.of(payloads.base, 'clock 2'), { label: '5 s ahead', age: -5_000 }),
    ],
  },
]
