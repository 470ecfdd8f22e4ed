import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { BLANK_DELIVERY } from '../../../shared/model/delivery.ts'
import type { AppStatus } from '../../../shared/model/status.ts'
import { isFollowing } from './loader-state.ts'
import { packSeqs } from '../../../shared/rpc/delivery-seqs.ts'
import { emptyList, indexOfSeq, rowAt, rowCount } from './row-list.ts'

const VIEW = 5

/** Creates a list of ten rows, and its first row in view, as the window keeps it. */
function start() {
  const { state } = openAskedWindow()
  const list = () => state().list
  let stored = 0
  let first = 0
  let topSeq: number | undefined
  let revealed = list().reveal
  const draw = () => {
    const { reveal, rows } = list()
    // Following, the view stays at its start; otherwise every row stays in place.
    if (!isFollowing(list()) && topSeq !== undefined) first = indexOfSeq(rows, topSeq) ?? first
    const index = reveal === null ? null : indexOfSeq(rows, reveal.seq)
    if (reveal !== revealed && index !== null) {
      revealed = reveal
      if (index < first || index >= first + VIEW) first = Math.max(0, index)
    }
    topSeq = rows.seqs[first]
    list().setVisible({ first, end: first + VIEW, isAtStart: first === 0 })
  }
  const receive = (count: number) => {
    const added = Array.from({ length: count }, (_, index) => deliveryRow(stored + count - index))
    stored += count
    list().changed({ added, updated: [], skipped: 0, total: stored })
    draw()
  }
  receive(10)
  draw()
  return {
    state,
    list,
    draw,
    receive,
    scroll(rows: number) {
      first = Math.min(rows, Math.max(0, rowCount(list().rows) - VIEW))
      topSeq = list().rows.seqs[first]
      draw()
    },
    /** Row at the view's top edge. */
    topRow: () => rowAt(list().rows, first)?.seq,
    newest: () => stored,
    selectTop() {
      const row = rowAt(list().rows, first)
      if (row !== undefined) list().select(row)
      draw()
    },
  }
}

describe('the list holds still', () => {
  test('leaving the list continues only if nothing is selected', () => {
    const { list, receive, draw, selectTop, topRow } = start()
    list().point(true)
    receive(2)
    expect(topRow()).toBe(10)
    selectTop()
    list().point(false)
    draw()
    receive(1)
    expect([topRow(), list().unseen]).toEqual([10, 3])
    list().select(null)
    draw()
    expect([topRow(), list().unseen]).toEqual([13, 0])
  })

  type Step = { readonly kind: string; readonly count: number }
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ kind: fc.constant('receive'), count: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ kind: fc.constant('scroll'), count: fc.integer({ min: 0, max: 40 }) }),
    fc.record({
      kind: fc.constantFrom('point', 'leave', 'select', 'deselect', 'toggle', 'jump'),
      count: fc.constant(0),
    }),
  )
  property.prop([fc.array(step, { maxLength: 60 })])(
    'whatever happens, arriving rows move the view only while nothing is selected or pointed at since it last continued',
    (steps) => {
      const { list, draw, receive, scroll, selectTop, topRow, newest } = start()
      let stopped = false
      let on = true
      for (const { kind, count } of steps) {
        const before = topRow()
        const isBehind = list().unseen > 0
        if (kind === 'receive') {
          receive(count)
          if (stopped || !on) expect(topRow()).toBe(before)
          else if (before === newest() - count) expect(topRow()).toBe(newest())
          else expect(topRow()).toBe(before)
          continue
        }
        if (kind === 'scroll') scroll(count)
        if (kind === 'point') list().point(true)
        if (kind === 'leave') list().point(false)
        if (kind === 'select') selectTop()
        if (kind === 'deselect') list().select(null)
        if (kind === 'toggle') {
          on = !on || stopped || isBehind
          list().toggleFollow()
        }
        if (kind === 'jump') list().jumpToNewest()
        draw()
        if (kind === 'point' || kind === 'select') stopped = true
        else if (kind === 'jump' || (kind === 'toggle' && on)) stopped = false
        else if (
          (kind === 'leave' || kind === 'deselect') &&
          !list().pointed &&
          !list().selectionHolds
        )
          stopped = false
        if (kind === 'toggle' && isBehind) expect([topRow(), list().unseen]).toEqual([newest(), 0])
        if (stopped && kind !== 'scroll' && kind !== 'jump') expect(topRow()).toBe(before)
      }
    },
  )
})

test('a delivery that the app selects before its row arrives is shown, and nothing else moves the list', () => {
  const { list, receive, draw, topRow } = start()
  list().show(deliveryRow(11))
  draw()
  receive(1)
  expect([topRow(), list().unseen, list().held]).toEqual([11, 0, true])
  receive(3)
  expect([topRow(), list().unseen]).toEqual([11, 3])
})

test.each(['selected', 'pointed at', 'both'] as const)(
  'closing the delivery continues to follow, if its row was %s',
  (why) => {
    const { state, list, receive, draw, topRow } = start()
    if (why !== 'selected') list().point(true)
    list().select(deliveryRow(10))
    state().detail.open('a', false)
    receive(3)
    expect([topRow(), list().unseen]).toEqual([10, 3])
    state().detail.close()
    draw()
    expect([topRow(), list().unseen, list().selectedSeq]).toEqual([13, 0, 10])
    list().point(false)
    receive(1)
    expect(topRow()).toBe(14)
  },
)

test('closing the delivery moves nothing if the user has scrolled away', () => {
  const { state, list, receive, scroll, draw, topRow } = start()
  list().select(deliveryRow(10))
  state().detail.open('a', false)
  scroll(4)
  receive(3)
  state().detail.close()
  draw()
  expect([topRow(), list().unseen]).toEqual([6, 3])
})

test("the user's own sample continues to follow, wherever the list was", () => {
  const { list, receive, scroll, draw, topRow } = start()
  scroll(4)
  list().select(deliveryRow(10))
  void list().sendSample()
  draw()
  receive(1)
  expect([topRow(), list().unseen]).toEqual([11, 0])
})

test('a delivery that a link opens is revealed once its part of the list is there, beyond the first page too', async () => {
  const { core, state } = openAskedWindow()
  state().list.show(deliveryRow(3))
  void state().list.reload()
  const first = Array.from({ length: 500 }, (_, index) => 1_000 - index)
  await core.answer('deliveries.seqs', { seqs: packSeqs(first), newest: 1_000, next: 500 })
  await core.answer('deliveries.rows', { rows: first.slice(0, 60).map((seq) => deliveryRow(seq)) })
  expect(state().list.reveal).toEqual({ seq: 3 })
  await core.answer('deliveries.seqs', { seqs: packSeqs([4, 3, 2]), newest: 1_000, next: null })
  await expect.poll(() => indexOfSeq(state().list.rows, 3)).toBe(501)
  expect(state().list).toMatchObject({ reveal: { seq: 3 }, selectedSeq: 3, held: true })
})

test('the first sample is shown selected, from whichever screen it is sent', async () => {
  const { core, store, state } = openAskedWindow()
  store.setState((before) => ({
    core: { ...before.core, status: { store: { deliveries: 0 } } as AppStatus },
  }))
  state().navigation.go('sandbox')
  const sent = state().list.sendSample()
  const result = {
    deliveries: [{ attempts: [{ deliveryId: 'sample', acknowledged: true }] }],
  } as OutputOf<'sandbox.sample'>['result']
  await core.answer('sandbox.sample', { hookMade: true, result })
  await sent
  await core.answer('deliveries.get', { ...BLANK_DELIVERY, id: 'sample', seq: 1 })
  const { navigation, list } = state()
  expect([navigation.screen, navigation.at.deliveries, list.selectedSeq]).toEqual([
    'deliveries',
    { id: 'sample', tab: 'signature' },
    1,
  ])
})

test("a sample that isn't acknowledged names the hooks and what their endpoints did", async () => {
  const { core, notify, state } = openAskedWindow()
  void state().list.sendSample()
  const sent = (hook: string, attempt: object) => ({
    ...{ event: 'transaction.auth', url: `https://127.0.0.1/${hook}` },
    attempts: [{ deliveryId: null, acknowledged: false, error: null, status: null, ...attempt }],
  })
  const deliveries = [
    sent('good', { acknowledged: true, status: 200 }),
    sent('bad', { status: 500 }),
    sent('off', { error: 'Connection refused.' }),
  ]
  await core.answer('sandbox.sample', { hookMade: false, result: { deliveries } } as never)
  expect(notify.mock.lastCall?.[0]).toMatchObject({
    title: 'Sample sent, but not acknowledged',
    message:
      'transaction.auth hook at https://127.0.0.1/bad: Returned 500. transaction.auth hook at https://127.0.0.1/off: Connection refused. The sandbox retries in one minute.',
  })
})

test('a delivery that the app opens is shown, even if its row arrived while the list held still', () => {
  const { list, receive, draw, topRow } = start()
  list().select(deliveryRow(10))
  receive(2)
  expect([topRow(), list().unseen]).toEqual([10, 2])
  list().show(deliveryRow(12))
  draw()
  expect([topRow(), list().unseen, list().held]).toEqual([12, 0, true])
})

test('in a list sorted by a column, the follow key re-sorts it with the new deliveries', () => {
  const { core, store, state } = openAskedWindow()
  store.setState(({ list }) => ({
    list: {
      ...list,
      rows: { ...emptyList, seqs: [2, 1], order: 'fixed' },
      sort: { by: 'size', descending: true },
    },
  }))
  const list = () => state().list
  list().changed({ added: [deliveryRow(3)], updated: [], skipped: 0, total: 3 })
  expect(list().unseen).toBe(1)
  list().toggleFollow()
  expect([list().follow, list().unseen, core.next('deliveries.seqs').input['by']]).toEqual([
    true,
    0,
    'size',
  ])
})

test("opening a flow run's delivery that the list hides shows and scrolls to it, and changes no filter that lists it", async () => {
  const { core, state } = openAskedWindow()
  const flowRun = { flow: 'card-linked', run: 'run', step: null }
  const row = deliveryRow(7, { flowRun })
  state().list.show(row)
  expect(state().filter.applied).toBe('is:any')
  await core.answer('deliveries.seqs', { seqs: packSeqs([8, 7]), newest: 8, next: null })
  await core.answer('deliveries.rows', { rows: [deliveryRow(8), row] })
  await expect.poll(() => rowAt(state().list.rows, 1)).toEqual(row)
  expect(state().list.reveal).toEqual({ seq: 7 })
  state().list.show(deliveryRow(8, { flowRun }))
  expect([state().filter.applied, state().list.reveal]).toEqual(['is:any', { seq: 8 }])
})
