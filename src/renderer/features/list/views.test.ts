import { createElement } from 'react'
import { expect, test } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { appStatusOf } from '../../../../test/support/model-values.ts'
import type { QueryCount } from '../../../shared/contract/nouns/deliveries.ts'
import { BUILT_IN_VIEWS } from '../../../shared/model/view.ts'
import { withTimeSpanOf } from '../../../shared/query/edit-query.ts'
import { emptyList } from './row-list.ts'
import { MatchingCount, ViewRow, viewsInOrder } from './views.tsx'

/**
 * Returns the counts of a window with `stored` deliveries, one of them composed, that last counted
 * `ofFlows` of `total`.
 */
function start({
  applied = 'is:valid',
  stored = 75,
  listed = 2,
  ofFlows = 72,
  total = 75,
  phase = 'ready' as 'ready' | 'failed',
}) {
  const window = openAskedWindow()
  const { store } = appStatusOf()
  window.store.setState(({ core, filter, list }) => ({
    core: { ...core, status: appStatusOf({ store: { ...store, deliveries: stored } }) },
    filter: { ...filter, applied },
    list: {
      ...list,
      phase,
      query: applied,
      awaitsFirstPage: false,
      rows: { ...emptyList, seqs: Array.from({ length: listed }, (_, index) => listed - index) },
    },
  }))
  const visible = total - ofFlows - 1
  const counts = BUILT_IN_VIEWS.map(({ id }): QueryCount => ({
    count: id === 'flow-runs' ? ofFlows : id === 'composed' ? 1 : Math.min(1_000, visible),
    more: id === 'all' && visible > 1_000,
  }))
  const queries = BUILT_IN_VIEWS.map(({ query }) => withTimeSpanOf(query, applied))
  if (total > 0) window.know('deliveries.counts', { queries }, { counts, total })
  const text = (element: typeof MatchingCount | typeof ViewRow) =>
    textOf(markupOf(window, createElement(element))).trim()
  return { all: /^All ([\d,]*)/.exec(text(ViewRow))?.[1], count: text(MatchingCount) }
}

test('without a filter, "All" is the number of listed rows, whatever else is stored', () => {
  expect(start({ applied: '', listed: 3, total: 0 })).toEqual({ all: '3', count: '' })
})

test('"All" and the filter name the same number, without flow runs and composed requests', () => {
  expect(start({})).toEqual({ all: '2', count: '2 of 2' })
  // Ten of a flow run arrived since the last count.
  expect(start({ stored: 85 })).toEqual({ all: '2', count: '2 of 2' })
  expect(start({ stored: 4_085, total: 4_075 })).toEqual({ all: '4,002', count: '2 of 4,002' })
})

test('"All" claims no number while deliveries can\'t be loaded or counted', () => {
  expect(start({ applied: '', listed: 0, total: 0, phase: 'failed' }).all).toBe('')
})

test('nothing is a total before it is counted', () => {
  expect(start({ total: 0 })).toEqual({ all: '', count: '2' })
})

test('a filter that names flow runs counts all stored ones', () => {
  expect(start({ applied: 'is:flow', listed: 72 })).toEqual({ all: '2', count: '72 of 75' })
})

test('every built-in view is in the row or its menu, once', () => {
  const saved = { id: 'saved', name: 'Refunds', query: 'event:*.refund' }
  const ids = viewsInOrder([saved]).map(({ id }) => id)
  expect(ids.slice(0, 6)).toEqual(['all', 'invalid', 'stale', 'retried', 'saved', 'flow-runs'])
  expect(ids.toSorted()).toEqual([saved, ...BUILT_IN_VIEWS].map(({ id }) => id).toSorted())
})
