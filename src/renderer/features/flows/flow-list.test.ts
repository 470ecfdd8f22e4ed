import { expect, test } from 'vitest'
import type { FlowSummary } from '../../../shared/model/flow-run.ts'
import { flowGroups, searchFlows } from './flow-list.tsx'

function flow(name: string, sections: string[]): FlowSummary {
  return { name, title: name, about: null, sections, mode: 'test', steps: 1, sandboxOnly: null, builtIn: true }
}

const flows = [flow('stale', ['5.2']), flow('refund-partial', ['2.6', '6.3']), flow('bare', []), flow('purchase-visa', ['2.6'])]

test('flows are grouped by topic in a fixed order, including those without a section', () => {
  expect(flowGroups(flows).map(([title, all]) => [title, all.map(({ name }) => name)])).toEqual([
    ['Purchases and refunds', ['refund-partial', 'purchase-visa']],
    ['Signatures and hooks', ['stale']],
    ['Other', ['bare']],
  ])
})

test('a search matches every word, in any order', () => {
  expect(searchFlows(flows, 'visa  Purchase').map(({ name }) => name)).toEqual(['purchase-visa'])
  expect(searchFlows(flows, 'visa refund')).toEqual([])
})
