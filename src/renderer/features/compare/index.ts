/** What other features, and the shell, may use of the comparison. */
import { always, type RunKey } from '../../state/commands.ts'
import type { KeyAction } from '../../state/key-map.ts'
import type { AppStore } from '../../state/store.ts'

export { CompareScreen } from './compare-screen.tsx'

/** Opens the comparison; where nothing stands there yet, the delivery that is looked at with the likeliest other one. */
function goToCompare(store: AppStore): boolean {
  const {
    detail: { openId },
    compare: { choice, start: compare },
    navigation: { screen, go },
  } = store.getState()
  const isEmpty = choice.left === null && choice.right === null
  if (isEmpty && openId !== null && screen === 'deliveries') void compare(null, { kind: 'delivery', id: openId })
  else go('compare')
  return true
}

/** What the keys of the comparison do. */
export const compareKeys = {
  'go-compare': goToCompare,
  'next-change': always((state) => {
    state.compare.stepChange(1)
  }),
  'previous-change': always((state) => {
    state.compare.stepChange(-1)
  }),
  'swap-sides': always((state) => {
    state.compare.swapSides()
  }),
  'compare-layout': always((state) => {
    state.compare.setLayout(state.compare.layout === 'split' ? 'unified' : 'split')
  }),
  'ignore-volatile': always((state) => {
    state.compare.setIgnoreVolatile(!state.compare.ignoreVolatile)
  }),
} satisfies Partial<Record<KeyAction, RunKey>>
