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
 * A `text` block directly after an `sh` block is its output. Numbers, ids and times may differ; `…`
 * stands for anything.
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

const ANY_VALUE = [
  ['[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', '[0-9a-f-]{36}'],
  ['[A-Za-z0-9+/]{43}=', '[A-Za-z0-9+/]{43}='],
  ['\\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\\b', '[A-Z][a-z]{2}'],
  ['\\d[\\d.,:]*', '\\d[\\d.,:]*'],
  ['^ *…$\\n?', '[\\s\\S]*?'],
  ['…', '.*?'],
  // If the output doesn't end with a newline, a note follows.
  [' *\\n\\s*', '\\s*'],
  [' +', '\\s+'],
] as const
const VALUE = new RegExp(ANY_VALUE.map(([shown]) => `(${shown})`).join('|'), 'gm')

/** Returns a pattern that the real output must match, made from the documented one. */
export function outputPattern(shown: string): RegExp {
  let pattern = ''
  let end = 0
  const text = shown.trim()
  for (const match of text.matchAll(VALUE)) {
    const which = match.slice(1).findIndex((group) => group !== undefined)
    pattern += RegExp.escape(text.slice(end, match.index)) + (ANY_VALUE[which]?.[1] ?? '')
    end = match.index + match[0].length
  }
  return new RegExp(pattern + RegExp.escape(text.slice(end)))
}
