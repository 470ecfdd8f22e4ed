/**
 * The lint of words: the project has no findings, each pattern finds its examples and passes its
 * counter-examples, and the spelling is American.
 */
import { expect, test } from 'vitest'
import { commentFindings } from '../../scripts/lib/words/comments.ts'
import { countWords, piecesOfPage, piecesOfSource } from '../../scripts/lib/words/extract.ts'
import { exceptions } from '../../scripts/lib/words/exceptions.ts'
import { findings, patterns } from '../../scripts/lib/words/patterns.ts'
import { privateNamesIn } from '../../scripts/lib/words/names.ts'
import { lintWords, readProject } from '../../scripts/lib/words/project.ts'
import { createSpelling } from '../../scripts/lib/words/spelling.ts'

for (const pattern of patterns) {
  const kind = pattern.kinds?.[0] ?? 'string'

  test(`${pattern.name}: found in each example`, () => {
    expect(pattern.bad.length).toBeGreaterThan(0)
    expect(pattern.bad.filter((text) => !findings({ kind, text }).includes(pattern))).toEqual([])
  })

  test(`${pattern.name}: passes each counter-example`, () => {
    expect(pattern.good.length).toBeGreaterThan(0)
    expect(pattern.good.filter((text) => findings({ kind, text }).includes(pattern))).toEqual([])
  })
}

test('code in backticks is ignored', () => {
  expect(findings({ kind: 'string', text: 'Set it with `--answer 500`.' })).toEqual([])
})

test('strings are listed with their placeholders; class names, SQL, imports and comparisons are not', () => {
  const source = `
import { cn } from 'some place of it'
/** Shows a hook. */
export function Row({ hook, kind }: { hook: string; kind: string }) {
  const rows = db.prepare('SELECT * FROM hooks WHERE id = ?')
  if (kind === 'not a thing') return <p className="flex items-center gap-2">No hooks yet</p>
  // First line,
  // second line.
  return <Field label="Name" title={\`Rename \${hook}…\`}>Press <kbd>Esc</kbd> to close {hook}.</Field>
}
`
  expect(
    piecesOfSource('src/row.tsx', source).map(({ kind, line, text }) => [kind, line, text]),
  ).toEqual([
    ['comment', 3, 'Shows a hook.'],
    ['string', 6, 'No hooks yet'],
    ['comment', 7, 'First line, second line.'],
    ['string', 9, 'Name'],
    ['string', 9, 'Rename {hook}…'],
    ['string', 9, 'Press `Esc` to close {hook}.'],
  ])
})

test('names and comments of tests are listed', () => {
  const source = `test('a hook is found', () => { expect(text).toBe('not a name of it') }) // Why.`
  expect(piecesOfSource('src/a.test.ts', source).map(({ kind, text }) => [kind, text])).toEqual([
    ['test', 'a hook is found'],
    ['comment', 'Why.'],
  ])
})

test('names of rows are listed if the title begins with them', () => {
  const source = `
const row = [['a hook is not there', 1], [2, 'a value of it']]
test.each([['a body of no event', 1], ['is:live', 2]])('%s is reported', () => {})
test.each([['what is sent', 1]])('%s: %j', () => {})
test.each([['what is sent', 1]])('sends %s', () => {})`
  expect(piecesOfSource('src/a.test.ts', source).map(({ line, text }) => [line, text])).toEqual([
    [3, 'a body of no event'],
    [3, '%s is reported'],
    [4, '%s: %j'],
    [5, 'sends %s'],
  ])
})

test('pages are read by paragraph, list item and table cell, without code', () => {
  const page =
    '# Search\n\nFirst line\nsecond [line](a.md).\n\n- item\n\n```sh\nls\n```\n\n| a b | c |\n| --- | --- |\n'
  expect(piecesOfPage(page).map(({ line, text }) => [line, text])).toEqual([
    [1, 'Search'],
    [3, 'First line second line.'],
    [6, 'item'],
    [12, 'a b'],
    [12, 'c'],
  ])
})

test('code and values count as one word', () => {
  expect(countWords('Run `npm run words` for {count} words')).toBe(5)
})

test('names with words that only this project used are found; English in comments and strings is not', () => {
  const source = `
// Look at what the service told us: it came back.
export const lookOfRun = (run: FlowStray, { inHand }: Kept) => run.kick(LOOK_MS, 'look', inHand)
const { looking, outlook, kickoff } = saved
`
  const names = privateNamesIn('src/leave-ride.ts', source)
  expect(names.map(({ line, text }) => [line, text])).toEqual([
    [0, 'leave-ride'],
    [3, 'lookOfRun'],
    [3, 'FlowStray'],
    [3, 'inHand'],
    [3, 'inHand'],
    [3, 'kick'],
    [3, 'LOOK_MS'],
    [3, 'inHand'],
    [4, 'looking'],
    [4, 'looking'],
  ])
})

const spelling = createSpelling()

test('the spelling is American', () => {
  expect(spelling.misspelled('The colour of the behaviour is recognised')).toEqual([
    'colour',
    'behaviour',
    'recognised',
  ])
  expect(
    spelling.misspelled('The color of the behavior is recognized; the run was cancelled.'),
  ).toEqual([])
})

test("query fields, code, options, URLs and code names aren't spell-checked", () => {
  expect(
    spelling.misspelled(
      '`behaviour:red` behaviour:red --behaviour https://colour.example/behaviour aColour',
    ),
  ).toEqual([])
})

test('the project has no findings (npm run words -- --check)', () => {
  const files = readProject()
  expect(files.length).toBeGreaterThan(1_000)
  expect(lintWords(files, exceptions)).toEqual([])
})

test.each([
  ['a function that begins with a noun', '/** The hook of a path. */\nexport function hookOf() {}'],
  ['a function that begins with "It"', '/** It finds a hook. */\nconst find = () => 1'],
  ['a type that begins with a verb', '/** Returns a hook. */\nexport interface Hook {}'],
  [
    'a field that begins with "Null"',
    'interface A {\n  /** Null until read. */\n  b: string | null\n}',
  ],
  ['a constant that begins with "How"', '/** How many are kept. */\nconst MOST = 5'],
  ['more than 100 columns', `/** Finds ${'a hook '.repeat(15)}. */\nexport function find() {}`],
  ['a second heading', 'const a = 1\n\n// Stores hooks.\n\nconst b = 2'],
])('a comment is found: %s', (_, source) => {
  expect(commentFindings('src/a.ts', source)).toHaveLength(1)
})

test('a comment is fine if a function begins with a verb, a type with its noun, in 100 columns', () => {
  const source = `/** Finds hooks. */

/** Hook of a path; null if none matches. */
export interface Found {
  /** Milliseconds since the epoch. */
  at: number
}

/** Whether a hook is active. */
export const isActive = () => true

/** Returns the hook of a path. */
export async function hookOf() {
  // Reads it once: the file is large.
  return 1
}
`
  expect(commentFindings('src/a.ts', source)).toEqual([])
})
