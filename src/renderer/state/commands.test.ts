import { expect, test } from 'vitest'
import { arrangePalette } from './commands.ts'

const items = (...values: readonly string[]) =>
  values.map((value) => ({ value, label: value, run: () => undefined }))
const parts = {
  byId: items(),
  selected: items('replay', 'pin'),
  places: items('go-hooks'),
  commands: items('sample', 'replay', 'trigger-transaction.auth', 'newest'),
  views: items('view-1'),
  flows: items('flow-refund'),
  hooks: items('hook-1'),
  recent: ['newest', 'gone', 'flow-refund', 'replay'],
}
const shown = (typed: string, part: Partial<typeof parts> = {}) =>
  arrangePalette({ ...parts, ...part }, typed).map(
    ({ value, items: own }) => `${value}: ${own.map((one) => one.value).join(' ')}`,
  )

test("the palette begins with the selected delivery's actions and recent commands; triggers and flows wait for a word", () => {
  expect(shown('')).toEqual([
    'Selected delivery: replay pin',
    'Recent: newest flow-refund',
    'Commands: sample',
    'Views: view-1',
    'Navigation: go-hooks',
    'Hooks: hook-1',
  ])
  expect(shown('  ', { selected: items(), recent: [] })[0]).toBe('Commands: sample replay newest')
})

test('a word searches everything, each command once', () => {
  expect(shown('re')).toEqual([
    'Selected delivery: replay pin',
    'Navigation: go-hooks',
    'Commands: sample trigger-transaction.auth newest',
    'Views: view-1',
    'Flows: flow-refund',
    'Hooks: hook-1',
  ])
})
