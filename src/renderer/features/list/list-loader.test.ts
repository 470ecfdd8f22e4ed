import { expect, test, vi } from 'vitest'
import { createAskedClient } from '../../../../test/support/asked-client.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { NEWEST_FIRST, createListLoader, type ListPart, type ListSort } from './list-loader.ts'
import { emptyList, indexOfSeq, rowAt, rowCount } from './list-updates.ts'

/** A loader whose calls wait for a response from the test. */
function start() {
  const { client, asked, next } = createAskedClient()
  let state: ListPart = {
    rows: emptyList,
    generation: 0,
    phase: 'loading',
    awaitsFirstPage: true,
    problem: null,
    query: 'coffee',
    queryProblem: null,
    follow: true,
    held: false,
    sort: NEWEST_FIRST,
    sorting: false,
    unsorted: null,
    atTop: true,
    unseen: 0,
    freshAbove: 0,
  }
  let hidden = 0
  const loader = createListLoader(
    client,
    (change) => {
      state = { ...state, ...(typeof change === 'function' ? change(state) : change) }
    },
    () => state,
    () => hidden,
  )
  return {
    hide: (count: number) => void (hidden = count),
    loader,
    asked,
    next,
    state: () => state,
    search: (query: string) => void (state = { ...state, query }),
    sortBy: (sort: ListSort) => void (state = { ...state, sort }),
  }
}

/** Answers the count of a search: rows, the first of each page, the newest, and where the count continues. */
const counted = (
  next: ReturnType<typeof start>['next'],
  total: number,
  anchors: readonly number[],
  newest: number,
  from: number | null = null,
) => next('deliveries.anchors').answer({ total, anchors, newest, next: from })
const rows = (...seqs: number[]) => ({ rows: seqs.map((seq) => deliveryRow(seq)) })

test('partial counts are shown, and the rest is appended as it arrives', async () => {
  const { loader, next, state } = start()
  const done = loader.anchorAgain('from-scratch')
  const first = next('deliveries.anchors')
  expect(first.input).toMatchObject({ query: 'coffee', patience: expect.any(Number) })
  await first.answer({ total: 2, anchors: [900], newest: 1_000, next: 700 })
  const page = next('deliveries.page')
  expect(page.input).toMatchObject({ from: 900, to: 701 })
  await page.answer(rows(900, 800))
  expect([state().phase, rowCount(state().rows), state().rows.next]).toEqual(['ready', 2, 700])

  const more = next('deliveries.anchors')
  expect(more.input).toMatchObject({ from: 700, skip: 2 })
  await more.answer({ total: 1, anchors: [], newest: 1_000, next: null })
  // The page was incomplete: its end is loaded too, without a limit.
  const whole = next('deliveries.page')
  expect(whole.input).toMatchObject({ from: 900 })
  expect(whole.input).not.toHaveProperty('to')
  await whole.answer(rows(900, 800, 5))
  await done
  expect([rowCount(state().rows), rowAt(state().rows, 2)?.seq, state().rows.next]).toEqual([
    3,
    5,
    null,
  ])
})

test('the next search ends the previous one at any stage', async () => {
  const { loader, asked, next, state, search } = start()
  const first = loader.anchorAgain('from-scratch')
  await counted(next, 1, [900], 1_000, 700)
  await next('deliveries.page').answer(rows(900))
  const counting = next('deliveries.anchors')
  search('tea')
  const second = loader.anchorAgain('from-scratch')
  expect(counting.isCancelled()).toBe(true)
  await first
  expect(state().problem).toBeNull()
  const other = next('deliveries.anchors')
  expect(other.input).toMatchObject({ query: 'tea' })
  expect(other.input).not.toHaveProperty('from')
  await other.answer({ total: 0, anchors: [], newest: 1_000, next: null })
  await second
  expect([rowCount(state().rows), state().phase, asked]).toEqual([0, 'ready', []])
})

test.each(['carry-over', 'rebuild'] as const)(
  'a %s that overtakes a new query keeps no row of the previous one',
  async (how) => {
    const { loader, next, state, search } = start()
    const first = loader.anchorAgain('from-scratch')
    await counted(next, 2, [4], 4)
    await next('deliveries.page').answer(rows(4, 3))
    await first
    search('tea')
    const overtaken = loader.anchorAgain('from-scratch')
    const again = loader.anchorAgain(how)
    await counted(next, 2, [2], 4)
    await next('deliveries.page').answer(rows(2, 1))
    await Promise.all([overtaken, again])
    expect([0, 1].map((index) => rowAt(state().rows, index)?.seq)).toEqual([2, 1])
  },
)

test('rows that arrive during counting stay on top, with each page in its place', async () => {
  const { loader, next, state } = start()
  const done = loader.anchorAgain('from-scratch')
  await counted(next, 1, [10], 10, 5)
  const page = next('deliveries.page')
  loader.take([], 2_300, 2_310)
  const head = next('deliveries.page')
  expect(head.input).toMatchObject({ query: 'coffee', to: 11 })
  await head.answer(rows(...Array.from({ length: 900 }, (_, index) => 910 - index)))
  for (const upTo of [1_800, 2_600]) {
    loader.take([], 900, upTo)
    const from = state().rows.head[0]?.seq ?? 0
    await next('deliveries.page').answer(
      rows(...Array.from({ length: upTo - from }, (_, index) => upTo - index)),
    )
  }
  expect(state().rows.anchors.length).toBeGreaterThan(5)
  await page.answer(rows(10))
  await counted(next, 0, [], 2_600)
  await done
  await expect.poll(() => rowAt(state().rows, rowCount(state().rows) - 1)?.seq).toBe(10)
  expect(rowAt(state().rows, 0)?.seq).toBe(2_600)
})

test("without a filter, a flow run's deliveries never enter the list, and those found to be a run's later leave it", async () => {
  const { loader, next, asked, state, search, hide } = start()
  search('')
  const done = loader.anchorAgain('from-scratch')
  await counted(next, 2, [2], 2)
  await next('deliveries.page').answer(rows(2, 1))
  await done
  const flowRun = { flow: 'card-linked', run: 'run', step: null }
  hide(1)
  vi.useFakeTimers()
  loader.take([deliveryRow(4, { flowRun }), deliveryRow(3)], 0, 4)
  expect([rowCount(state().rows), rowAt(state().rows, 0)?.seq]).toEqual([3, 3])
  // Consistent, so it isn't loaded again.
  await vi.advanceTimersByTimeAsync(5_000)
  vi.useRealTimers()
  expect(asked).toEqual([])
  await loader.recheck([deliveryRow(3)])
  expect(asked).toEqual([])
  void loader.recheck([deliveryRow(3, { flowRun })])
  await next('deliveries.matching').answer({ seqs: [] })
  await expect.poll(() => asked.map(({ command }) => command)).toEqual(['deliveries.anchors'])
})

test('a few new rows light up; more than one page of them do not', async () => {
  const { loader, next, state, search } = start()
  search('')
  const done = loader.anchorAgain('from-scratch')
  await counted(next, 1, [10], 10)
  await next('deliveries.page').answer(rows(10))
  await done
  const take = (from: number, to: number) => {
    loader.take(
      Array.from({ length: to - from + 1 }, (_, index) => deliveryRow(to - index)),
      0,
      to,
    )
  }
  take(11, 13)
  expect([rowCount(state().rows), state().freshAbove]).toEqual([4, 10])
  take(14, 113)
  expect([rowCount(state().rows), state().freshAbove]).toEqual([104, Number.POSITIVE_INFINITY])
})

test('scrolling loads the next pages ahead; jumping loads only the rows in view', async () => {
  const { loader, asked, next, search } = start()
  search('')
  const done = loader.anchorAgain('from-scratch')
  const anchors = Array.from({ length: 50 }, (_, page) => 5_000 - page * 100)
  await counted(next, 5_000, anchors, 5_000)
  const page = (from: number) => rows(...Array.from({ length: 100 }, (_, index) => from - index))
  await next('deliveries.page').answer(page(5_000))
  await done
  loader.look(20, 50)
  expect(asked.map(({ input }) => input)).toMatchObject([{ from: 4_900 }, { from: 4_800 }])
  await next('deliveries.page').answer(page(4_900))
  await next('deliveries.page').answer(page(4_800))
  loader.look(3_000, 3_030)
  expect(asked.map(({ input }) => input)).toMatchObject([{ from: 2_000 }])
  await next('deliveries.page').answer(page(2_000))
  loader.look(2_990, 3_020)
  expect(asked.map(({ input }) => input)).toMatchObject([
    { from: 2_300 },
    { from: 2_200 },
    { from: 2_100 },
  ])
})

test('a sorted list keeps its order across pages, counts new deliveries, and sorts again only on request', async () => {
  const { loader, asked, next, state, sortBy } = start()
  sortBy({ by: 'amount', descending: true })
  const done = loader.anchorAgain('from-scratch')
  const order = next('deliveries.sorted')
  expect(order.input).toEqual({ query: 'coffee', by: 'amount', descending: true })
  await order.answer({ seqs: [5, 900, 7] })
  const page = next('deliveries.rows')
  expect(page.input).toEqual({ seqs: [5, 900, 7] })
  await page.answer(rows(5, 900, 7))
  await done
  const shown = () => [0, 1, 2].map((index) => rowAt(state().rows, index)?.seq)
  expect([shown(), state().phase, rowCount(state().rows)]).toEqual([[5, 900, 7], 'ready', 3])
  loader.take([deliveryRow(901)], 4, 1_000)
  expect([shown(), state().unseen, asked]).toEqual([[5, 900, 7], 5, []])
})

test('oldest first: pages go up at any size, and what arrives is appended without moving a row', async () => {
  const { loader, asked, next, state, sortBy } = start()
  sortBy({ by: 'time', descending: false })
  const done = loader.anchorAgain('from-scratch')
  const counted = next('deliveries.anchors')
  expect(counted.input).toMatchObject({ query: 'coffee', oldestFirst: true })
  const anchors = Array.from({ length: 200 }, (_, page) => 1 + page * 100)
  await counted.answer({ total: 20_000, anchors, newest: 20_000, next: null })
  const page = next('deliveries.page')
  expect(page.input).toMatchObject({ oldestFirst: true, from: 1, to: 100 })
  await page.answer(rows(...Array.from({ length: 100 }, (_, index) => index + 1)))
  await done
  expect([
    rowCount(state().rows),
    rowAt(state().rows, 1)?.seq,
    indexOfSeq(state().rows, 42),
  ]).toEqual([20_000, 2, 41])

  loader.take([deliveryRow(20_001)], 3, 20_004)
  loader.take([deliveryRow(20_005)], 0, 20_005)
  const more = next('deliveries.anchors')
  expect(more.input).toMatchObject({
    query: 'coffee',
    oldestFirst: true,
    from: 20_001,
    skip: 20_000,
  })
  await more.answer({ total: 2, anchors: [20_001], newest: 20_004, next: null })
  const rest = next('deliveries.anchors')
  expect(rest.input).toMatchObject({ from: 20_005, skip: 20_002 })
  await rest.answer({ total: 1, anchors: [], newest: 20_005, next: null })
  expect([rowCount(state().rows), state().unseen, state().rows.arrived]).toEqual([20_003, 3, 0])
  loader.look(19_980, 20_003)
  expect(state().unseen).toBe(0)
  expect(asked.map(({ input }) => input)).toMatchObject([{ from: 19_901 }, { from: 20_001 }])
})

test('if too many match to sort, the list stays newest first and names the column', async () => {
  const { loader, next, state, sortBy } = start()
  sortBy({ by: 'size', descending: false })
  const done = loader.anchorAgain('from-scratch')
  await next('deliveries.sorted').answer({ seqs: null })
  await counted(next, 1, [900], 1_000)
  await next('deliveries.page').answer(rows(900))
  await done
  expect([state().sort, state().unsorted, rowAt(state().rows, 0)?.seq]).toEqual([
    NEWEST_FIRST,
    'size',
    900,
  ])
})

test('slow sorting is shown, and sorting newest first cancels it', async () => {
  const { loader, next, state, sortBy } = start()
  sortBy({ by: 'path', descending: false })
  void loader.anchorAgain('from-scratch')
  const order = next('deliveries.sorted')
  expect(state().sorting).toBe(false)
  await expect.poll(() => state().sorting).toBe(true)
  sortBy(NEWEST_FIRST)
  void loader.anchorAgain('from-scratch')
  expect(order.isCancelled()).toBe(true)
  await counted(next, 0, [], 0)
  expect(state().sorting).toBe(false)
  sortBy({ by: 'path', descending: false })
  void loader.anchorAgain('from-scratch')
  await next('deliveries.sorted').answer({ seqs: [] })
  await new Promise((done) => setTimeout(done, 200))
  expect(state().sorting).toBe(false)
})
