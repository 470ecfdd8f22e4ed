import { expect, test } from 'vitest'
import { keyCaps } from './keys.tsx'

test('a capital letter is shown with Shift, a small one without', () => {
  expect(keyCaps('N')).toEqual(['Shift', 'N'])
  expect(keyCaps('g d')).toEqual(['g', 'd'])
  expect(keyCaps('Mod+K')).toEqual(['Ctrl', 'K'])
})
