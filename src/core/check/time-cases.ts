/** Cases about the age of a signature. */
import { headerNames } from '../../shared/service/header-names.ts'
import { defineCases } from './case-definition.ts'

const MINUTE = 60000

const replayWhy =
  'Anyone who captures one valid delivery can send it again and again. Its signature stays valid; only its age gives it away.'

const ageWindowFix =
  'Reject a delivery if its timestamp (milliseconds since 1970, UTC) is more than 5 minutes from your clock in either direction.'

export const timeCases = defineCases(
  { group: 'time', section: '5.2', expectedResponse: 'refuse' },
  [
    {
      name: 'stale',
      title: 'Signed ten minutes ago',
      severity: 'major',
      sends: 'A correctly signed delivery with a timestamp ten minutes old.',
      why: replayWhy,
      fix: ageWindowFix,
      requests: ({ signed }) => [signed('time, stale', { age: 10 * MINUTE })],
    },
    {
      name: 'future',
      title: 'Signed ten minutes ahead',
      severity: 'major',
      sends: 'A correctly signed delivery with a timestamp ten minutes in the future.',
      why: 'A future timestamp stays valid for longer than your window. It can also mean that a clock is wrong.',
      fix: `${ageWindowFix} Compare the absolute difference.`,
      requests: ({ signed }) => [signed('time, future', { age: -10 * MINUTE })],
    },
    {
      name: 'seconds',
      title: 'Timestamp in seconds',
      severity: 'minor',
      sends: 'A delivery correctly signed over a timestamp in seconds.',
      why: "Timestamps are in milliseconds, so this one falls in January 1970. A handler that accepts it doesn't check the age, or would read real timestamps as far in the future.",
      fix: ageWindowFix,
      requests: ({ now, signed }) => [
        signed('time, seconds', {
          timestamp: String(Math.trunc(now() / 1000)),
        }),
      ],
    },
    {
      name: 'no-number',
      title: 'Timestamp missing or not a number',
      severity: 'major',
      sends:
        'Deliveries correctly signed over the timestamp `now`, over an empty timestamp, and without the header.',
      why: 'Comparisons with NaN are always false, so `age > window` lets the delivery through.',
      fix: 'Parse the timestamp strictly. Reject anything except digits.',
      requests: ({ baseBody, request, settings }) => {
        const text = (purpose: string) => baseBody(`time, ${purpose}`)
        const { timestamp: name } = headerNames(settings.prefix)
        return [
          request(text('now'), { label: 'now', timestamp: 'now' }),
          request(text('empty'), { label: 'empty', timestamp: '' }),
          request(text('missing'), {
            label: 'missing',
            timestamp: '',
            headers: (valid) => valid.filter(([headerName]) => headerName !== name),
          }),
        ]
      },
    },
    {
      name: 'clock-difference',
      title: 'Small clock differences',
      severity: 'major',
      sends: 'Valid deliveries with a timestamp 60 s old, and one 5 s ahead.',
      why: 'Clocks are never quite in sync, and a delivery can wait in a queue. The recommended window is 5 minutes.',
      fix: 'Allow 5 minutes in both directions.',
      expectedResponse: 'accept',
      requests: ({ signed }) => [
        signed('clock 1', { label: '60 s old', age: MINUTE }),
        signed('clock 2', { label: '5 s ahead', age: -5000 }),
      ],
    },
  ],
)
