import { expect, test } from 'vitest'
import { isRunOf } from './run-origin.ts'

const run = (origin: string | null) => ({ flow: 'purchase-visa', origin })

test('a file named like a built-in flow has its own runs, wherever they were started', () => {
  const builtIn = { name: 'purchase-visa', origin: null }
  const own = { name: 'purchase-visa', origin: 'mine.json' }
  expect([isRunOf(builtIn, run(null)), isRunOf(builtIn, run('/work/mine.json'))]).toEqual([
    true,
    false,
  ])
  expect([
    isRunOf(own, run('/work/mine.json')),
    isRunOf(own, run('C:\\work\\mine.json')),
    isRunOf(own, run('mine.json')),
  ]).toEqual([true, true, true])
  expect([isRunOf(own, run(null)), isRunOf(own, run('/work/other.json'))]).toEqual([false, false])
  expect(isRunOf({ name: 'other', origin: 'mine.json' }, run('mine.json'))).toBe(false)
})
