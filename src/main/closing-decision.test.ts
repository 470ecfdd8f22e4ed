import { expect, test } from 'vitest'
import { decideClosing, closingQuestion } from './closing-decision.ts'

const facts = { isRunning: true, isQuitting: false, onClose: 'ask', hasBackground: true } as const

test('closing asks until the user has chosen, then follows the choice', () => {
  expect(decideClosing(facts)).toBe('ask')
  expect(decideClosing({ ...facts, onClose: 'background' })).toBe('hide')
  expect(decideClosing({ ...facts, onClose: 'quit' })).toBe('close')
})

test('an app that is quitting never asks', () => {
  for (const onClose of ['ask', 'background'] as const)
    for (const hasBackground of [true, false])
      expect(decideClosing({ ...facts, isQuitting: true, onClose, hasBackground })).toBe('close')
})

test('an app that is starting, or failed to, closes without a question', () => {
  for (const onClose of ['ask', 'background'] as const)
    expect(decideClosing({ ...facts, isRunning: false, onClose })).toBe('close')
})

test('without a tray, a window is never hidden: a message says that closing quits', () => {
  expect(decideClosing({ ...facts, hasBackground: false })).toBe('explain')
  expect(decideClosing({ ...facts, hasBackground: false, onClose: 'background' })).toBe('explain')
  expect(decideClosing({ ...facts, hasBackground: false, onClose: 'quit' })).toBe('close')
})

test.each(['ask', 'explain'] as const)('%s: the last button changes nothing', (closing) => {
  const { choices } = closingQuestion(closing, 'linux')
  expect(Object.entries(choices).at(-1)).toEqual(['Cancel', null])
})

test('the question names the place where the app stays', () => {
  expect(closingQuestion('ask', 'darwin').detail).toContain('the menu bar or the Dock')
  expect(closingQuestion('ask', 'win32').detail).toContain('from the tray')
})
