/** The comparison's exports for other features and the shell. */
import { always, type RunKey } from '../../state/commands.ts'
import type { KeyAction } from '../../state/key-map.ts'
import type { AppStore } from '../../state/store.ts'

export { CompareScreen } from './compare-screen.tsx'

/** Opens the comparison. If it is empty, compares the open delivery with the best suggestion. */
function goToCompare(store: AppStore): boolean {
  const {
    detail: { openId },
    compare: { choice, start: compare },
    navigation: { screen, go },
  } = store.getState()
  const isEmpty = choice.left === null && choice.right === null
  if (isEmpty && openId !== null && screen === 'deliveries')
    void compare(null, { kind: 'delivery', id: openId })
  else go('compare')
  return true
}

/** The comparison's shortcuts. */
export const compareKeys = {
  'go-compare': goToCompare,
  'next-change': always((state) => state.compare.stepChange(1)),
  'previous-change': always((state) => state.compare.stepChange(-1)),
  'swap-sides': always((state) => state.compare.swapSides()),
  'compare-layout': always((state) =>
    state.compare.setLayout(state.compare.layout === 'split' ? 'unified' : 'split'),
  ),
  'ignore-volatile': always((state) =>
    state.compare.setIgnoreVolatile(!state.compare.ignoreVolatile),
  ),
} satisfies Partial<Record<KeyAction, RunKey>>
