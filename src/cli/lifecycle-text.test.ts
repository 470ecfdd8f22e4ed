import { expect, test } from 'vitest'
import type { Lifecycle } from '../shared/model/lifecycle.ts'
import { lifecycleLines } from './lifecycle-text.ts'

const lifecycle: Lifecycle = {
  kind: 'purchase',
  objectId: 'p-1',
  now: '2026-11-21T10:00:00.000Z',
  stages: [],
  missing: [],
  findings: [],
  related: [],
  isCut: false,
  unlinked: null,
}
const linesOf = (unlinked: Lifecycle['unlinked']) =>
  lifecycleLines({ color: (text) => text }, { ...lifecycle, unlinked }).join('\n')

test('shows how many deliveries are still being linked', () => {
  expect(linesOf({ left: 12_345, of: 1_000_000 })).toContain(
    'Still linking deliveries: 12,345 of 1,000,000 left.',
  )
  expect(linesOf(null)).not.toContain('linking')
})
