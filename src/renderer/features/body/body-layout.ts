/** What a body looks like: its text, rows of JSON or of lines, its tree, and where a text stands in it. Runs in a worker. */
import { formatJson, layOutJson } from '../../ui/json/json-rows.ts'
import { plainRows, type TextRows } from '../../ui/json/text-rows.ts'
import type { BodyText } from './decode-text.ts'
import { findAll, type Found } from './find-text.ts'
import { jsonStop, type JsonStop } from './json-stop.ts'
import { treeOf, type JsonTree } from './json-tree.ts'

export type BodyLayout =
  | { readonly kind: 'json'; readonly rows: TextRows }
  /** `notJson` is null where nobody asked, and its `stop` where the text does not begin as JSON. */
  | { readonly kind: 'text'; readonly rows: TextRows; readonly notJson: { readonly stop: JsonStop | null } | null }

/** What can be asked about a body that the worker has read. */
export type BodyQuestion =
  | { readonly ask: 'text' }
  /** `asSent`: JSON or not, rows of the text as it stands. */
  | { readonly ask: 'layout'; readonly asSent: boolean; readonly columns: number }
  | { readonly ask: 'tree' }
  | { readonly ask: 'formatted' }
  | { readonly ask: 'find'; readonly wanted: string }

export interface BodyAnswers {
  readonly text: BodyText
  readonly layout: BodyLayout
  /** Null where it is not JSON. */
  readonly tree: { readonly tree: JsonTree | null }
  readonly formatted: { readonly text: string | null }
  readonly find: Found
}

/** Answers a question about a text; `cut`: it is the beginning of more. */
export function answerAbout(read: BodyText, cut: boolean, question: BodyQuestion): BodyAnswers[BodyQuestion['ask']] {
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
  if (json.outcome === 'json' || (json.outcome === 'cut' && cut)) return { kind: 'json', rows: json.rows }
  const stop = jsonStop(text, json.outcome === 'not-json' ? json.at : text.length)
  return { kind: 'text', rows: plainRows(text, columns), notJson: { stop } }
}
