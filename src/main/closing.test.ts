import { expect, test } from 'vitest'
import { closingOf, closingQuestion } from './closing.ts'

const facts = { isRunning: true, isQuitting: false, onClose: 'ask', hasBackground: true } as const

test('closing asks until the user has chosen, then follows the choice', () => {
  expect(closingOf(facts)).toBe('ask')
  expect(closingOf({ ...facts, onClose: 'background' })).toBe('hide')
  expect(closingOf({ ...facts, onClose: 'quit' })).toBe('close')
})

test('an app that is quitting never asks', () => {
  for (const onClose of ['ask', 'background'] as const)
    for (const hasBackground of [true, false])
      expect(closingOf({ ...facts, isQuitting: true, onClose, hasBackground })).toBe('close')
})

test('an app that is starting, or failed to, closes without a question', () => {
  for (const onClose of ['ask', 'background'] as const)
    expect(closingOf({ ...facts, isRunning: false, onClose })).toBe('close')
})

test('without a tray, a window is never hidden: a message says that closing quits', () => {
  expect(closingOf({ ...facts, hasBackground: false })).toBe('explain')
  expect(closingOf({ ...facts, hasBackground: false, onClose: 'background' })).toBe('explain')
  expect(closingOf({ ...facts, hasBackground: false, onClose: 'quit' })).toBe('close')
})

test.each(['ask', 'explain'] as const)('%s: the last button changes nothing', (closing) => {
  const { choices } = closingQuestion(closing, 'linux')
  expect(Object.entries(choices).at(-1)).toEqual(['Cancel', null])
})

test('the question names the place where the app stays', () => {
  expect(closingQuestion('ask', 'darwin').detail).toContain('the menu bar or the Dock')
  expect(closingQuestion('ask', 'win32').detail).toContain('from the tray')
})
