import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { DEFAULT_COLUMNS, type ColumnChoice } from '../../state/preferences-slice.ts'
import {
  drawnForm,
  eventIn,
  layoutOf,
  moved,
  orderedIds,
  pathSpan,
  reasonSpan,
  resized,
  ROW_PADDING,
} from './column-layout.ts'
import { COLUMNS } from './columns.tsx'

/** The shown columns and their widths in a list of this width; narrow ones are marked. */
const shownIn = (room: number, choice: ColumnChoice = DEFAULT_COLUMNS) =>
  layoutOf(COLUMNS, choice, room)
    .columns.map(({ id, width, narrow }) => `${id}${narrow ? '*' : ''} ${width}`)
    .join(', ')
const widthOf = (choice: ColumnChoice, room: number, id: string) =>
  layoutOf(COLUMNS, choice, room).columns.find((column) => column.id === id)?.width

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

  test.each([
    [20, { source: 112, event: 216, merchant: 140, issues: 160, path: 152 }],
    [34, { source: 96, event: 152, merchant: 119, issues: 160, path: 253 }],
    [60, { source: 96, event: 152, merchant: 96, issues: 144, path: 292 }],
  ])('for a path of %s characters, other columns give room before it is cut', (longest, widths) => {
    const { columns } = layoutOf(COLUMNS, DEFAULT_COLUMNS, 1_372, longest)
    expect(Object.fromEntries(columns.map(({ id, width }) => [id, width]))).toMatchObject(widths)
    expect(columns).toHaveLength(COLUMNS.length)
    const resizedIssues = layoutOf(
      COLUMNS,
      { ...DEFAULT_COLUMNS, widths: { issues: 150 } },
      1_372,
      longest,
    )
    expect(resizedIssues.columns.find(({ id }) => id === 'issues')?.width).toBe(150)
  })

  const choices = fc.record({
    order: fc.shuffledSubarray(COLUMNS.map(({ id }): string => id)),
    hidden: fc.subarray(COLUMNS.map(({ id }): string => id)),
    widths: fc.dictionary(
      fc.constantFrom(...COLUMNS.map(({ id }) => id)),
      fc.integer({ min: 40, max: 300 }),
    ),
  })
  test.prop([choices, fc.integer({ min: 300, max: 3_000 }), fc.integer({ min: 0, max: 300 })])(
    'hidden columns stay hidden, no column is lost, and the path is never cut below its least width',
    (choice, room, longest) => {
      const { columns, dropped } = layoutOf(COLUMNS, choice, room, longest)
      const ids = columns.map(({ id }) => id)
      expect([...ids, ...dropped].toSorted()).toEqual(
        COLUMNS.map(({ id }) => id)
          .filter((id) => !choice.hidden.includes(id))
          .toSorted(),
      )
      expect(ids).toEqual(orderedIds(COLUMNS, choice).filter((id) => ids.includes(id)))
      const path = columns.find(({ id }) => id === 'path')
      if (path !== undefined) expect(path.width).toBeGreaterThanOrEqual(choice.widths['path'] ?? 96)
      // Something is always dropped before the rest overflows, down to the columns that say most.
      if (columns.reduce((sum, { width }) => sum + width, ROW_PADDING) > room)
        expect(ids).not.toContain('size')
    },
  )
})

describe('changes of the user', () => {
  test('a column is resized within the room, without pushing out another one', () => {
    const wider = resized(COLUMNS, DEFAULT_COLUMNS, 1_372, 'merchant', 160)
    expect([widthOf(wider, 1_372, 'merchant'), widthOf(wider, 1_372, 'path')]).toEqual([160, 112])
    const tooWide = resized(COLUMNS, DEFAULT_COLUMNS, 1_372, 'merchant', 700)
    expect(layoutOf(COLUMNS, tooWide, 1_372).dropped).toEqual([])
    expect(widthOf(tooWide, 1_372, 'path')).toBe(96)
    expect(
      widthOf(resized(COLUMNS, DEFAULT_COLUMNS, 1_372, 'merchant', 1), 1_372, 'merchant'),
    ).toBe(40)
  })

  test('a column is moved before or after another one, and a new column has its own place', () => {
    const choice = moved(COLUMNS, DEFAULT_COLUMNS, 'size', 'time')
    expect(orderedIds(COLUMNS, choice).slice(0, 3)).toEqual(['signature', 'size', 'time'])
    expect(orderedIds(COLUMNS, moved(COLUMNS, choice, 'signature', 'time')).slice(0, 3)).toEqual([
      'size',
      'time',
      'signature',
    ])
    expect(
      orderedIds(COLUMNS, { ...DEFAULT_COLUMNS, order: ['time', 'signature', 'gone'] }).slice(0, 3),
    ).toEqual(['time', 'signature', 'event'])
  })

  test('rows are redrawn if a column changes form, not if it changes width', () => {
    const form = (room: number) => drawnForm(layoutOf(COLUMNS, DEFAULT_COLUMNS, room).columns)
    expect(form(1_374)).toBe(form(1_372))
    expect(form(676)).not.toBe(form(1_372))
  })
})

test("a malformed request's reason covers the cells from Event to Path, narrow Issues, and empty ones", () => {
  const spanIn = (room: number, choice = DEFAULT_COLUMNS, ...empty: string[]) => {
    const { columns } = layoutOf(COLUMNS, choice, room)
    const span = reasonSpan(columns, (id) => empty.includes(id))
    return span === null ? null : columns.slice(span.from, span.to).map(({ id }) => id)
  }
  expect(spanIn(1_372)).toEqual(['event', 'amount', 'merchant', 'path'])
  expect(spanIn(676)).toEqual(['event', 'amount', 'issues'])
  expect(spanIn(1_372, DEFAULT_COLUMNS, 'issues', 'source')).toEqual([
    'event',
    'amount',
    'merchant',
    'path',
    'issues',
    'source',
  ])
  expect(spanIn(1_372, DEFAULT_COLUMNS, 'source')).toEqual(['event', 'amount', 'merchant', 'path'])
  expect(spanIn(1_372, moved(COLUMNS, DEFAULT_COLUMNS, 'issues', 'amount'))).toEqual(['event'])
  expect(
    spanIn(1_372, { ...DEFAULT_COLUMNS, hidden: ['event', 'amount', 'merchant', 'path'] }),
  ).toBeNull()
})

test('a long path takes the empty cells beside it before it is cut', () => {
  const { columns } = layoutOf(COLUMNS, DEFAULT_COLUMNS, 1_372)
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
