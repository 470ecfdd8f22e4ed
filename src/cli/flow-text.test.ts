import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { flowRunStepOf } from '../../test/support/model-values.ts'
import { findFlow } from '../core/flows/built-in/index.ts'
import { printAllEnd, rowCells, stepCells, stepNotes } from './flow-text.ts'
import { Output } from './print.ts'

test('variables and backticks of a step are printed as plain words', () => {
  const step = flowRunStepOf({
    outcome: 'fail',
    title: 'card ${it.card} is `visa`',
    message: '`amount` is `1`. Expected `2`.',
    fix: 'Save `${purchase.id}` first.',
    deliveryId: 'd1',
  })
  expect([stepCells(step).at(-1), ...stepNotes(step)]).toEqual([
    'card it.card is visa',
    'amount is 1. Expected 2.',
    'Save purchase.id first.',
    'countersign show d1',
  ])
  expect(stepCells({ ...step, outcome: 'pass' }).at(-1)).toBe(
    'card it.card is visa: amount is 1. Expected 2.',
  )
  const { flow } = findFlow({ name: 'stale' })
  const row = { flow, run: null, outcome: 'fail', happened: '`id` is missing' } as const
  expect(rowCells(row, 'regressed').at(-1)).toBe('id is missing')
})

test.each([
  ['pass', false, '1 flow ran; nothing was checked: no handler\n'],
  ['pass', true, 'All flows passed: 0 failed, 1 passed, 0 skipped in 0 ms.\n'],
  ['fail', false, 'All flows failed: 1 failed, 0 passed, 0 skipped in 0 ms.\n'],
] as const)('all flows: %s (with a handler: %s) end with %s', (outcome, hasHandler, end) => {
  const stdout = new PassThrough()
  const { flow } = findFlow({ name: 'stale' })
  const row = { flow, run: null, outcome, happened: '' }
  printAllEnd(new Output({ stdout, stderr: new PassThrough(), env: {} }), [row], [], { hasHandler })
  expect(String(stdout.read())).toContain(end)
})
