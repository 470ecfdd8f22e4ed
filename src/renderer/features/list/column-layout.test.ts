import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { drawnForm, eventIn, layoutOf, pathSpan, reasonSpan, ROW_PADDING } from './column-layout.ts'
import { COLUMNS } from './columns.tsx'

/** The shown columns and their widths in a list of this width; narrow ones are marked. */
const shownIn = (room: number) =>
  layoutOf(COLUMNS, [], room)
    .columns.map(({ id, width, narrow }) => `${id}${narrow ? '*' : ''} ${width}`)
    .join(', ')

describe('the columns by the room there is', () => {
  test.each([
    [
      'a wide window',
      1_372,
      'signature 100, time 100, event 224, amount 116, merchant 140, path 132, issues 160, source 124, responded 68, handler 124, size 56',
    ],
    [
      'a narrow window',
      852,
      'signature 100, time 100, event 224, amount 116, issues 160, handler 124',
    ],
    [
      'beside a delivery',
      676,
      'signature 100, time 100, event 220, amount 116, issues* 44, handler* 68',
    ],
    [
      'beside a delivery in a narrow window',
      428,
      'signature* 92, time* 68, event 152, issues* 44, handler* 44',
    ],
  ])('%s', (_, room, shown) => {
    expect(shownIn(room)).toBe(shown)
  })

  test.prop([
    fc.subarray(COLUMNS.map(({ id }): string => id)),
    fc.integer({ min: 300, max: 3_000 }),
  ])(
    'hidden columns stay hidden, no column is lost, and the path is never cut below its least width',
    (hidden, room) => {
      const { columns, dropped } = layoutOf(COLUMNS, hidden, room)
      const ids = columns.map(({ id }) => id)
      const chosen = COLUMNS.map(({ id }) => id).filter((id) => !hidden.includes(id))
      expect([...ids, ...dropped].toSorted()).toEqual(chosen.toSorted())
      expect(ids).toEqual(chosen.filter((id) => ids.includes(id)))
      const path = columns.find(({ id }) => id === 'path')
      if (path !== undefined) expect(path.width).toBeGreaterThanOrEqual(96)
      // Something is always dropped before the rest overflows, down to the columns that say most.
      if (columns.reduce((sum, { width }) => sum + width, ROW_PADDING) > room)
        expect(ids).not.toContain('size')
    },
  )
})

test('rows are redrawn if a column changes form, not if it changes width', () => {
  const form = (room: number) => drawnForm(layoutOf(COLUMNS, [], room).columns)
  expect(form(1_374)).toBe(form(1_372))
  expect(form(676)).not.toBe(form(1_372))
})

test("a malformed request's reason covers the cells from Event to Path, narrow Issues, and empty ones", () => {
  const spanIn = (room: number, hidden: readonly string[] = [], ...empty: string[]) => {
    const { columns } = layoutOf(COLUMNS, hidden, room)
    const span = reasonSpan(columns, (id) => empty.includes(id))
    return span === null ? null : columns.slice(span.from, span.to).map(({ id }) => id)
  }
  expect(spanIn(1_372)).toEqual(['event', 'amount', 'merchant', 'path'])
  expect(spanIn(676)).toEqual(['event', 'amount', 'issues'])
  expect(spanIn(1_372, [], 'issues', 'source')).toEqual([
    'event',
    'amount',
    'merchant',
    'path',
    'issues',
    'source',
  ])
  expect(spanIn(1_372, [], 'source')).toEqual(['event', 'amount', 'merchant', 'path'])
  expect(spanIn(1_372, ['event', 'amount', 'merchant', 'path'])).toBeNull()
})

test('a long path takes the empty cells beside it before it is cut', () => {
  const { columns } = layoutOf(COLUMNS, [], 1_372)
  const spanOf = (path: string, ...empty: string[]) => {
    const span = pathSpan(columns, path, (id) => empty.includes(id))
    return span === null ? null : columns.slice(span.from, span.to).map(({ id }) => id)
  }
  const long = '/h/transaction-auth-9f3c'
  expect(spanOf(long, 'issues', 'source')).toEqual(['path', 'issues', 'source'])
  expect(spanOf(long, 'issues')).toEqual(['path', 'issues'])
  expect([spanOf(long, 'source'), spanOf('/h/auth', 'issues', 'source')]).toEqual([null, null])
})

test('a long event name first loses its transaction. prefix', () => {
  expect(eventIn('transaction.auth.qualified', 216)).toBe('transaction.auth.qualified')
  expect(eventIn('transaction.auth.qualified', 152)).toBe('…auth.qualified')
  expect(eventIn('transaction.clearing', 152)).toBe('transaction.clearing')
  expect(eventIn('location.status.changed.now', 152)).toBe('location.status.changed.now')
})
