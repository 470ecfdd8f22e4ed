import { expect, test } from 'vitest'
import type { Store } from '../store/store.ts'
import { discardAllPending } from './forwards.ts'

test.each([[0], [5], [2_000], [4_001]])(
  'all of %i pending deliveries are discarded and counted',
  async (count) => {
    let left = count
    let most = 0
    const write = ((name: string, drop: { id: string; reason: string; limit: number }) => {
      expect([name, drop.id, drop.reason]).toEqual(['discardPending', 'target', 'why'])
      const dropped = Math.min(left, drop.limit)
      left -= dropped
      most = Math.max(most, dropped)
      return Promise.resolve(dropped)
    }) as Store['write']
    expect(await discardAllPending({ write }, 'target', 'why')).toBe(count)
    expect([left, most <= 2_000]).toEqual([0, true])
  },
)
