import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { createAskedClient, type Asked } from '../../../../test/support/asked-client.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { times } from '../../../../test/support/long-form.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { packSeqs } from '../../../shared/rpc/delivery-seqs.ts'
import { ListLoader } from './list-loader.ts'
import type { LoaderState } from './loader-state.ts'
import { NEWEST_FIRST, type ListSort } from './list-sort.ts'
import { emptyList, rowAt } from './row-list.ts'

/** Creates a loader whose calls wait for a response from the test. */
function start(query = 'coffee') {
  const { client, asked, next } = createAskedClient()
  let state: LoaderState = {
    rows: emptyList,
    generation: 0,
    phase: 'loading',
    awaitsFirstPage: true,
    problem: null,
    query,
    queryProblem: null,
    follow: true,
    held: false,
    sort: NEWEST_FIRST,
    unsorted: null,
    atTop: true,
    unseen: 0,
    freshAbove: 0,
  }
  const loader = new ListLoader(
    client,
    (change) => {
      state = { ...state, ...(typeof change === 'function' ? change(state) : change) }
    },
    () => state,
  )
  /** Answers the next part of a column. */
  const column = (seqs: number[], newest: number, from: number | null = null) =>
    next('deliveries.seqs').answer({ seqs: packSeqs(seqs), newest, next: from })
  /** Answers the next request of rows with those asked for; returns their seqs. */
  const rows = async (isStored: (seq: number) => boolean = () => true) => {
    const one = next('deliveries.rows')
    const seqs = one.input['seqs'] as number[]
    await one.answer({ rows: seqs.filter(isStored).map((seq) => deliveryRow(seq)) })
    return seqs
  }
  return {
    loader,
    asked,
    next,
    column,
    rows,
    state: () => state,
    seqs: () => state.rows.seqs,
    search: (text: string) => void (state = { ...state, query: text }),
    sortBy: (sort: ListSort) => void (state = { ...state, sort }),
  }
}

async function startWith(seqs: number[], query?: string) {
  const started = start(query)
  const done = started.loader.loadList('new')
  await started.column(seqs, Math.max(...seqs))
  await started.rows()
  await done
  return started
}

const down = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => from - index)

test('the first rows are shown at once, and the rest is appended as it arrives', async () => {
  const { loader, next, column, rows, state, seqs } = start()
  const done = loader.loadList('new')
  const first = next('deliveries.seqs')
  expect(first.input).toEqual({ query: 'coffee', by: 'time', descending: true, limit: 500 })
  await first.answer({ seqs: packSeqs([900, 800]), newest: 1_000, next: 700 })
  expect(await rows()).toEqual([900, 800])
  await done
  expect([state().phase, seqs(), state().rows.isWhole]).toEqual(['ready', [900, 800], false])
  expect(rowAt(state().rows, 1)?.seq).toBe(800)
  await column([5], 1_001)
  expect([seqs(), state().rows.isWhole, state().rows.newest]).toEqual([[900, 800, 5], true, 1_000])
  expect(await rows()).toEqual([5])
})

test('the next search ends the previous one at any stage', async () => {
  const { loader, asked, next, column, rows, state, search } = start()
  const first = loader.loadList('new')
  await column([900], 1_000, 700)
  await rows()
  await first
  const rest = next('deliveries.seqs')
  search('tea')
  const second = loader.loadList('new')
  expect([rest.isCancelled(), state().problem]).toEqual([true, null])
  await column([], 1_000)
  await second
  expect([state().rows.seqs, state().phase, asked]).toEqual([[], 'ready', []])
})

test('an update that overtakes a new query keeps no row of the previous one', async () => {
  const { loader, column, rows, seqs, search } = await startWith([4, 3])
  search('tea')
  const overtaken = loader.loadList('new')
  const again = loader.loadList('refresh')
  await column([2, 1], 4)
  await rows()
  await Promise.all([overtaken, again])
  expect(seqs()).toEqual([2, 1])
})

test('a search that fails says so; a slow rest leaves the rows that were found', async () => {
  const { loader, next, column, rows, state, search } = start()
  const slow = new AppError('TOO_SLOW', 'This search took longer than 5 s.')
  void loader.loadList('new')
  await next('deliveries.seqs').refuse(slow)
  expect([state().phase, state().problem]).toEqual(['failed', slow.message])
  search('tea')
  void loader.loadList('new')
  await column([4, 3], 4, 2)
  await rows()
  await next('deliveries.seqs').refuse(slow)
  expect([state().rows.seqs, state().rows.isWhole, state().problem]).toEqual([
    [4, 3],
    true,
    slow.message,
  ])
})

interface Core {
  readonly stored: Set<number>
  newest: number
}

/** Answers a call from the deliveries stored at that moment, a few seqs at a time. */
async function answerFrom({ stored, newest }: Core, { command, input, answer }: Asked) {
  if (command === 'deliveries.rows') {
    const seqs = (input['seqs'] as number[]).filter((seq) => stored.has(seq))
    return answer({ rows: seqs.map((seq) => deliveryRow(seq)) })
  }
  if (command === 'deliveries.matching')
    return answer({ seqs: (input['seqs'] as number[]).filter((seq) => stored.has(seq)) })
  const up = input['descending'] === false
  const from = (input['from'] as number | undefined) ?? (up ? 0 : newest)
  const span = Array.from({ length: 7 }, (_, index) => (up ? from + index : from - index))
  const next = up ? from + 7 : from - 7
  return answer({
    seqs: packSeqs(span.filter((seq) => stored.has(seq))),
    newest,
    next: next < 1 || next > newest ? null : next,
  })
}

type Step = 'receive' | 'burst' | 'answer' | 'delete' | 'reload' | 'restart'

property.prop(
  [
    fc.array(
      fc.constantFrom<Step>(
        'receive',
        'burst',
        'answer',
        'answer',
        'answer',
        'delete',
        'reload',
        'restart',
      ),
      { maxLength: 40 },
    ),
    fc.constantFrom('', 'coffee'),
  ],
  { numRuns: times(20, 1_000) },
)(
  'in whatever order deliveries and responses come, the list ends up with what is stored',
  async (steps, query) => {
    const { loader, asked, state, seqs } = start(query)
    const core: Core = { stored: new Set(down(20, 1)), newest: 20 }
    const answerOne = async () => {
      const one = asked[0]
      if (one === undefined) return false
      ;(asked as Asked[]).shift()
      await answerFrom(core, one)
      return true
    }
    void loader.loadList('new')
    for (const step of steps) {
      if (step === 'answer') await answerOne()
      if (step === 'reload') void loader.loadList('refresh')
      if (step === 'restart') void loader.loadList('new')
      if (step === 'receive' || step === 'burst') {
        const arrived = down(core.newest + 3, core.newest + 1)
        core.newest += 3
        for (const seq of arrived) core.stored.add(seq)
        const added = step === 'burst' ? [] : arrived.map((seq) => deliveryRow(seq))
        loader.take(added, arrived.length - added.length)
      }
      if (step === 'delete') {
        const [gone = 0] = core.stored
        core.stored.delete(gone)
        loader.remove([gone])
      }
    }
    while (await answerOne());
    expect(seqs()).toEqual([...core.stored].sort((a, b) => b - a))
    expect([state().rows.isWhole, state().problem, rowAt(state().rows, 0)?.seq]).toEqual([
      true,
      null,
      seqs()[0],
    ])
  },
)

test("without a filter, a flow run's deliveries never enter the list, and those found to be a run's later leave it", async () => {
  const { loader, next, asked, seqs } = await startWith([2, 1], '')
  const flowRun = { flow: 'card-linked', run: 'run', step: null }
  loader.take([deliveryRow(4, { flowRun }), deliveryRow(3)], 0)
  expect(seqs()).toEqual([3, 2, 1])
  await loader.recheck([deliveryRow(3)])
  expect(asked).toEqual([])
  void loader.recheck([deliveryRow(3, { flowRun })])
  await next('deliveries.matching').answer({ seqs: [] })
  expect([seqs(), asked]).toEqual([[2, 1], []])
})

test('with a filter, changed rows that start or stop matching join or leave in their place', async () => {
  const { loader, next, rows, seqs } = await startWith([9, 5])
  void loader.recheck([9, 7].map((seq) => deliveryRow(seq)))
  const asked = next('deliveries.matching')
  expect(asked.input).toEqual({ query: 'coffee', seqs: [9, 7] })
  await asked.answer({ seqs: [7] })
  expect([seqs(), await rows()]).toEqual([[7, 5], [7]])
})

test('a row that was deleted unnoticed leaves the list when it is loaded', async () => {
  const { loader, column, rows, seqs } = start()
  void loader.loadList('new')
  await column([3, 2, 1], 3)
  await rows((seq) => seq !== 2)
  expect(seqs()).toEqual([3, 1])
})

test('a few new rows light up; more than one view of them do not', async () => {
  const { loader, state, seqs } = await startWith([10], '')
  const take = (from: number, to: number) =>
    loader.take(
      down(from, to).map((seq) => deliveryRow(seq)),
      0,
    )
  take(13, 11)
  expect([seqs().length, state().freshAbove]).toEqual([4, 10])
  take(113, 14)
  expect([seqs().length, state().freshAbove]).toEqual([104, Number.POSITIVE_INFINITY])
})

test('rows around the view are loaded, each once', async () => {
  const { loader, asked, column, rows } = start('')
  const done = loader.loadList('new')
  await column(down(5_000, 4_501), 5_000, 4_500)
  expect(await rows()).toEqual(down(5_000, 4_941))
  await done
  await column(down(4_500, 1), 5_000)
  await rows()
  loader.setVisible(3_000, 3_030)
  loader.setVisible(3_010, 3_040)
  expect([await rows(), await rows()]).toEqual([down(2_150, 1_821), down(1_820, 1_811)])
  loader.setVisible(3_000, 3_030)
  expect(asked).toEqual([])
})

test.each(['amount', 'time'] as const)(
  'a list sorted by %s keeps its order, counts new deliveries, and sorts again only on request',
  async (by) => {
    const { loader, asked, next, rows, state, seqs, sortBy } = start()
    sortBy({ by, descending: false })
    const done = loader.loadList('new')
    const order = next('deliveries.seqs')
    expect(order.input).toMatchObject({ query: 'coffee', by, descending: false })
    await order.answer({ seqs: packSeqs([5, 900, 7]), newest: 900, next: null })
    expect(await rows()).toEqual([5, 900, 7])
    await done
    expect([seqs(), state().phase]).toEqual([[5, 900, 7], 'ready'])
    loader.take([deliveryRow(901)], 4)
    expect([seqs(), state().unseen, asked]).toEqual([[5, 900, 7], 5, []])
  },
)

test('new deliveries join a list with imported ones at the top', async () => {
  const { loader, next, seqs } = await startWith([5, 900, 7], '')
  loader.take([deliveryRow(901)], 0)
  expect(seqs()).toEqual([901, 5, 900, 7])
  loader.remove([900])
  expect(seqs()).toEqual([901, 5, 7])
  const again = loader.loadList('refresh')
  await next('deliveries.seqs').answer({ seqs: packSeqs([901, 7, 5]), newest: 901, next: null })
  await again
  expect(seqs()).toEqual([901, 7, 5])
})

test.each(['', 'coffee'])(
  'with the filter "%s", an imported delivery gets its place by time at once and lights up there',
  async (query) => {
    const { loader, column, asked, state, seqs } = await startWith([7, 6, 5], query)
    loader.take([deliveryRow(8, { origin: 'imported' })], 0)
    expect(seqs()).toEqual([7, 6, 5])
    await column([7, 6, 8, 5], 8)
    expect([seqs(), rowAt(state().rows, 2)?.seq, asked]).toEqual([[7, 6, 8, 5], 8, []])
    expect([state().rows.order, state().rows.arrived, state().freshAbove]).toEqual(['times', 1, 7])
    expect(state().unseen).toBe(0)
  },
)

test('a delivery that arrives after one imported from the future is placed below it', async () => {
  const { loader, asked, column, seqs } = await startWith([5], '')
  loader.take([deliveryRow(6, { origin: 'imported', receivedAt: '2027-01-01T00:00:00.000Z' })], 0)
  await column([6, 5], 6)
  loader.take([deliveryRow(7)], 0)
  await expect.poll(() => asked).toHaveLength(1)
  await column([6, 7, 5], 7)
  expect(seqs()).toEqual([6, 7, 5])
})

test('if too many match to sort, the list stays newest first and names the column', async () => {
  const { loader, next, column, rows, state, seqs, sortBy } = start()
  sortBy({ by: 'size', descending: false })
  const done = loader.loadList('new')
  await next('deliveries.seqs').answer({ seqs: null, newest: 1_000, next: null })
  await column([900], 1_000)
  await rows()
  await done
  expect([state().sort, state().unsorted, seqs()]).toEqual([NEWEST_FIRST, 'size', [900]])
})
