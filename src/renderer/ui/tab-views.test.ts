import { expect, test } from 'vitest'
import { fittingTabs } from './tab-views.tsx'

const tabs = ['one', 'two', 'three', 'four'] as const
const widths = new Map(tabs.map((tab) => [tab, 96]))

test("tabs that don't fit go into the menu, but never the selected one", () => {
  expect(fittingTabs(tabs, 'one', widths, 424)).toEqual(tabs)
  expect(fittingTabs(tabs, 'one', widths, 423)).toEqual(['one', 'two', 'three'])
  expect(fittingTabs(tabs, 'four', widths, 423)).toEqual(['one', 'two', 'four'])
  expect(fittingTabs(tabs, 'three', widths, 50)).toEqual(['three'])
})
