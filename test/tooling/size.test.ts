import { expect, test } from 'vitest'
import { GENERATED_MARK } from '../../scripts/lib/generated-docs.ts'
import { lowered, overAndUnder, sumsOf } from '../../scripts/lib/size.ts'

const files = [
  { path: 'src/core/store/open.ts', text: '12345' },
  { path: 'src/core/store/open.test.ts', text: '123' },
  { path: 'src/renderer/features/list/list.tsx', text: '1234567' },
  { path: 'src/renderer/styles/tokens.css', text: '12' },
  { path: 'scripts/moved-here.ts', text: '1234' },
  { path: 'test/support/core.ts', text: '1' },
  { path: 'test/golden/help.txt', text: '123456' },
  {
    path: 'docs/cli.md',
    text: `One word<!-- table -->made<!-- /table -->\n${GENERATED_MARK}\nby a test`,
  },
  { path: 'docs/search.md', text: 'three short words' },
]
const sums = sumsOf(files)

const [writtenOfCli = ''] = files[7]!.text.split('<!-- table')
const generatedOfCli = files[7]!.text.length - writtenOfCli.length - 1

test('each file is counted once, by what it is, and generated parts of a page apart', () => {
  const characters = Object.fromEntries(
    Object.entries(sums).map(([kind, sum]) => [kind, sum.characters]),
  )
  expect(characters).toEqual({
    source: 12,
    tests: 4,
    other: 6,
    docs: 'three short words'.length + writtenOfCli.length + 1,
    'test data': 0,
    generated: 'help12'.length + generatedOfCli,
  })
  expect(sums.docs.words).toBe(5)
  expect(sums.source.folders).toEqual({
    'src/core/store': { characters: 5, files: 1 },
    'src/renderer/features/list': { characters: 7, files: 1 },
  })
})

test('a figure above its limit and one below it are named; lowering never raises', () => {
  const limits = { source: { characters: 11, files: 3 }, docs: { words: 5 } }
  expect(overAndUnder(limits, sums)).toEqual({
    over: ['source has 12 characters, the limit is 11'],
    under: ['source has 2 files, the limit is 3'],
  })
  expect(lowered(limits, sums)).toEqual({
    source: { characters: 11, files: 2 },
    docs: { words: 5 },
  })
})
