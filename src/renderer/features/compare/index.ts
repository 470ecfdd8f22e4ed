/** Exports of the comparison for other features and the shell. */
import { always, type RunKey, type Screens } from '../../ui-state/commands.ts'
import type { KeyAction } from '../../key-map.ts'
import type { AppStore } from '../../ui-state/store.ts'
import { CompareScreen } from './compare-screen.tsx'

export const ownScreens: Screens<'compare'> = {
  compare: {
    Screen: CompareScreen,
    scopes: () => ['compare'],
    leave: always(({ compare, navigation }) => navigation.go(compare.from)),
  },
}

/** Opens the comparison; an empty one compares the open delivery with the best suggestion. */
function goToCompare(store: AppStore): boolean {
  const { compare, navigation } = store.getState()
  const { left, right } = navigation.at.compare
  const { id } = navigation.at.deliveries
  const isEmpty = left === undefined && right === undefined
  if (isEmpty && id !== undefined && navigation.screen === 'deliveries')
    void compare.start(null, { kind: 'delivery', id })
  else navigation.go('compare')
  return true
}

export const compareKeys = {
  'go-compare': goToCompare,
  'next-change': always((state) => state.compare.stepChange(1)),
  'previous-change': always((state) => state.compare.stepChange(-1)),
  'swap-sides': always((state) => state.compare.swapSides()),
  'compare-layout': always(({ compare: { layout, display } }) =>
    display({ layout: layout === 'split' ? 'unified' : 'split' }),
  ),
  'ignore-volatile': always(({ compare: { ignoreVolatile, display } }) =>
    display({ ignoreVolatile: !ignoreVolatile }),
  ),
} satisfies Partial<Record<KeyAction, RunKey>>
