import { expect, test } from 'vitest'
import { createUndoHistory, type UndoStep } from './undo-history.ts'

test('the last step is undone first, redone, and forgotten once something else happens', () => {
  const told: string[] = []
  const step = (name: string): UndoStep => ({
    undo: () => told.push(`undo ${name}`),
    redo: () => told.push(`redo ${name}`),
    until: Number.POSITIVE_INFINITY,
  })
  const history = createUndoHistory(() => 0)
  expect([history.undo(), history.redo()]).toEqual([false, false])
  history.did(step('pin'))
  history.did(step('note'))
  expect([history.undo(), history.undo(), history.undo()]).toEqual([true, true, false])
  expect([history.redo(), history.redo(), history.redo()]).toEqual([true, true, false])
  expect(told).toEqual(['undo note', 'undo pin', 'redo pin', 'redo note'])
  history.undo()
  history.did(step('pin again'))
  expect(history.redo()).toBe(false)
})

test('a deletion can be undone once while its time lasts, and is not redone', () => {
  let now = 0
  const told: string[] = []
  const deletion: UndoStep = { undo: () => told.push('undo'), redo: null, until: 10 }
  const history = createUndoHistory(() => now)
  history.did(deletion)
  expect([history.undo(), history.undo(), history.redo()]).toEqual([true, false, false])
  history.did(deletion)
  history.forget(deletion)
  expect(history.undo()).toBe(false)
  history.did(deletion)
  now = 11
  expect(history.undo()).toBe(false)
  expect(told).toEqual(['undo'])
})
