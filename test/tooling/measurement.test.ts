import { expect, test } from 'vitest'
import { formatTable } from '../../scripts/lib/measurement.ts'

test('a table shows medians, rounded to three digits, in aligned Markdown', () => {
  const table = formatTable({
    title: 'Ingest',
    columns: ['server', 'acknowledged (1/s)', 'p99 (ms)'],
    rows: [
      ['Countersign', [14_000.4, 16_000, 15_000], 6.123],
      ['bare Node', 52_000, [1.456]],
    ],
    notes: ['Bar: 0.27.'],
  })
  expect(table).toBe(
    [
      '### Ingest',
      '',
      '| server      | acknowledged (1/s) | p99 (ms) |',
      '| ----------- | -----------------: | -------: |',
      '| Countersign |             15,000 |     6.12 |',
      '| bare Node   |             52,000 |     1.46 |',
      '',
      'Bar: 0.27.',
    ].join('\n'),
  )
})
