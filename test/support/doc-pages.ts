/**
 * The fenced blocks of README.md and docs. A comment directly before a block says how a test
 * treats it:
 *
 * - `<!-- exit: 1 -->`: the commands must exit with 1. Without a comment, they must exit with 0.
 * - `<!-- serve -->`: a command that runs until it is stopped. The test stops it at the end of the
 *   page.
 * - `<!-- stopped -->`: Countersign must not be running.
 * - `<!-- no-run: REASON -->`: never runs in a test, for this reason.
 * - `<!-- file: NAME -->`: the reader saves the block under this name.
 *
 * A `text` block directly after an `sh` block is its output. Ids, times and durations may differ,
 * and `…` stands for anything. Outside of the first hour's pages, so may all numbers, and the block
 * may be a part of the output.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface DocBlock {
  readonly language: string
  readonly rest: string
  /** Word and value of the comment before the block, each empty without one. */
  readonly word: string
  readonly value: string
  readonly code: string
  readonly line: number
}

const root = join(import.meta.dirname, '../..')
const FENCE = /(?:<!-- ([a-z-]+)(?:: (.*?))? -->\n+)?^( *)```(\S*) *(.*)\n([\s\S]*?)^ *```$/gm

export function docPages(): string[] {
  return ['README.md', ...globSync('docs/**/*.md', { cwd: root })]
    .map((page) => page.replaceAll('\\', '/'))
    .toSorted()
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

export function blocksOf(text: string): DocBlock[] {
  return [...text.matchAll(FENCE)].map(
    ({
      0: { length },
      1: word = '',
      2: value = '',
      3: indent = '',
      4: language = '',
      5: rest = '',
      6: code = '',
      index,
    }) => ({
      language,
      rest,
      word,
      value,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: text.slice(0, index + length).split('\n').length - code.split('\n').length,
    }),
  )
}

export function fileOf(page: string, name: string): string {
  const block = blocksOf(readPage(page)).find(
    ({ word, value }) => word === 'file' && value === name,
  )
  if (block === undefined) throw new Error(`${page} has no block for the file ${name}`)
  return block.code
}

/** Returns whether a test runs this block. */
export const runsInTest = ({ language, word }: DocBlock): boolean =>
  language === 'sh' && word !== 'no-run'

/** Share of an output that a page shows: some of its lines, all of them, or the first. */
export type OutputMatch = 'part' | 'whole' | 'beginning'

type Values = readonly (readonly [shown: string, real: string])[]

const same = (pattern: string) => [pattern, pattern] as const
const BEFORE_NUMBERS: Values = [
  ['[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', '[0-9a-f-]{36}'],
  same('[A-Za-z0-9+/]{43}='),
]
/** Any number, for pages that show some lines of an output. */
const NUMBERS: Values = [
  ['\\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\\b', '[A-Z][a-z]{2}'],
  same('\\d[\\d.,:]*'),
]
/** Times, durations and sizes. Counts, scores, statuses and attempts must be right. */
const MEASURED: Values = [
  same('\\d{4}-\\d\\d-\\d\\d[T ][\\d:.]+Z?'),
  same('\\d{1,2} [A-Z][a-z]{2} \\d\\d:\\d\\d:\\d\\d'),
  [
    '\\b\\d[\\d.,]* (?:ms|s|min|h|d)\\b(?: \\d+ (?:s|min|h)\\b)?',
    '\\d[\\d.,]* (?:ms|s|min|h|d)\\b(?: \\d+ (?:s|min|h)\\b)?',
  ],
  ['\\b\\d[\\d.]* kB', '\\d[\\d.]* k?B'],
  ['\\b1[78]\\d{11}\\b', '\\d{13}'],
  same('from character \\d+'),
]
const AFTER_NUMBERS: Values = [
  ['^ *…$\\n?', '[\\s\\S]*?'],
  ['…', '.*?'],
  // If the output doesn't end with a newline, a note follows.
  [' *\\n\\s*', '\\s*'],
  [' +', '\\s+'],
]

/** Returns a pattern that the real output must match, made from the documented one. */
export function outputPattern(shown: string, match: OutputMatch): RegExp {
  const numbers = match === 'part' ? NUMBERS : MEASURED
  const values = [...BEFORE_NUMBERS, ...numbers, ...AFTER_NUMBERS]
  const value = new RegExp(values.map(([text]) => `(${text})`).join('|'), 'gm')
  let pattern = match === 'part' ? '' : '^\\s*'
  let end = 0
  const text = shown.trim()
  for (const found of text.matchAll(value)) {
    const which = found.slice(1).findIndex((group) => group !== undefined)
    pattern += RegExp.escape(text.slice(end, found.index)) + (values[which]?.[1] ?? '')
    end = found.index + found[0].length
  }
  return new RegExp(pattern + RegExp.escape(text.slice(end)) + (match === 'whole' ? '\\s*$' : ''))
}
