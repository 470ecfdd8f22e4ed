/** Prepares a body for display: its text, its rows (JSON or lines), its tree, and positions in the text. Runs in a worker. */
import { formatJson, layOutJson } from '../../ui/json/json-rows.ts'
import { plainRows, type TextRows } from '../../ui/json/text-rows.ts'
import type { BodyText } from './decode-text.ts'
import { findAll, type Found } from './find-text.ts'
import { treeOf, type JsonTree } from './json-tree.ts'

export interface JsonStop {
  /** Index of the first unexpected character; the text's length if it ends too early. */
  readonly at: number
  readonly line: number
  /** Counted in characters, starting at 1. */
  readonly column: number
  /** Null at the end of the text. */
  readonly character: string | null
}

const blank = /^[\ufeff \t\r\n]*$/

/** Null if nothing comes before `at`: the text doesn't begin as JSON. */
export function jsonStop(text: string, at: number): JsonStop | null {
  if (blank.test(text.slice(0, at))) return null
  let line = 1
  let lineStart = 0
  for (
    let newline = text.indexOf('\n');
    newline !== -1 && newline < at;
    newline = text.indexOf('\n', lineStart)
  ) {
    line++
    lineStart = newline + 1
  }
  const code = text.codePointAt(at)
  return {
    at,
    line,
    column: charactersIn(text, lineStart, at) + 1,
    character: code === undefined ? null : String.fromCodePoint(code),
  }
}

/** A surrogate pair counts as one. A line may have millions of characters, so nothing is copied. */
function charactersIn(text: string, from: number, to: number): number {
  let count = 0
  for (let index = from; index < to; count++)
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
  return count
}

export type BodyLayout =
  | { readonly kind: 'json'; readonly rows: TextRows }
  /** `notJson` is null if it wasn't requested; its `stop` is null if the text doesn't begin as JSON. */
  | {
      readonly kind: 'text'
      readonly rows: TextRows
      readonly notJson: { readonly stop: JsonStop | null } | null
    }

/** Questions about a body that the worker has loaded. */
export type BodyQuestion =
  | { readonly ask: 'text' }
  /** `asSent`: rows of the unchanged text, JSON or not. */
  | { readonly ask: 'layout'; readonly asSent: boolean; readonly columns: number }
  | { readonly ask: 'tree' }
  | { readonly ask: 'formatted' }
  | { readonly ask: 'find'; readonly wanted: string }

export interface BodyAnswers {
  readonly text: BodyText
  readonly layout: BodyLayout
  /** Null if it isn't JSON. */
  readonly tree: { readonly tree: JsonTree | null }
  readonly formatted: { readonly text: string | null }
  readonly find: Found
}

/** Answers a question about a text. `cut`: the text is incomplete. */
export function answerAbout(
  read: BodyText,
  cut: boolean,
  question: BodyQuestion,
): BodyAnswers[BodyQuestion['ask']] {
  switch (question.ask) {
    case 'text':
      return read
    case 'layout':
      return layOut(read.text, cut, question.asSent, question.columns)
    case 'tree':
      return { tree: treeOf(read.text, cut) }
    case 'formatted':
      return { text: formatJson(read.text) }
    case 'find':
      return findAll(read.text, question.wanted)
  }
}

export function layOut(text: string, cut: boolean, asSent: boolean, columns: number): BodyLayout {
  if (asSent) return { kind: 'text', rows: plainRows(text, columns), notJson: null }
  const json = layOutJson(text, columns)
  if (json.outcome === 'json' || (json.outcome === 'cut' && cut))
    return { kind: 'json', rows: json.rows }
  const stop = jsonStop(text, json.outcome === 'not-json' ? json.at : text.length)
  return { kind: 'text', rows: plainRows(text, columns), notJson: { stop } }
}
