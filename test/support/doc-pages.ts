/**
 * The fenced blocks of README.md and docs/*.md. The words behind the language of a fence say how a test treats the block:
 *
 * - `sh`: runs, and must exit with 0. `sh exit=1`: must exit with 1.
 * - `sh serve`: a command that runs until it is stopped. The test stops it at the end of the page.
 * - `sh stopped`: Countersign must not be running.
 * - `sh no-run REASON`: never runs in a test, for this reason.
 * - `text` directly after an `sh` block: its output. Numbers, ids and times may differ; `…` stands for anything.
 * - any language with `file=NAME`: the reader saves the block under this name.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface DocBlock {
  readonly language: string
  readonly words: readonly string[]
  readonly code: string
  /** Line of the opening fence, from 1. */
  readonly line: number
}

const root = join(import.meta.dirname, '../..')
const FENCE = /^( *)```(\S*)(.*)\n([\s\S]*?)^ *```$/gm

export function docPages(): string[] {
  return ['README.md', ...globSync('docs/*.md', { cwd: root })]
    .map((page) => page.replaceAll('\\', '/'))
    .toSorted()
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

export function blocksOf(text: string): DocBlock[] {
  return [...text.matchAll(FENCE)].map(
    ({ 1: indent = '', 2: language = '', 3: rest = '', 4: code = '', index }) => ({
      language,
      words: rest.split(' ').filter((word) => word !== ''),
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: text.slice(0, index).split('\n').length,
    }),
  )
}

/** The block that readers save as this file. */
export function fileOf(page: string, name: string): string {
  const block = blocksOf(readPage(page)).find(({ words }) => words.includes(`file=${name}`))
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

/** The parts of a documented output that the real output must match. */
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
