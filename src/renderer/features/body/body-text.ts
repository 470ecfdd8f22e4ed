/** The text of a body as the views show it: decoded, formatted if JSON, and cut if very long. */
import { formatJson } from '../../../shared/json/format.ts'
import { explainInvalidJson } from '../../../shared/json/scan.ts'
import type { AppState } from '../../ui-state/store.ts'
import type { CodeProblem } from '../../ui/code.tsx'
import { type BodyText, decodeText } from './decode-text.ts'

export type BodyView = AppState['detail']['bodyView']

/** Most bytes shown as text; hex shows all. */
export const LONGEST_TEXT = 2_000_000

/** Decoded text; `cut` if its bytes are incomplete or too long. */
export interface ReadText extends BodyText {
  readonly cut: boolean
}

export function readText(bytes: Uint8Array, cut: boolean, charset: string | null): ReadText {
  const isCut = cut || bytes.length > LONGEST_TEXT
  return { ...decodeText(bytes.subarray(0, LONGEST_TEXT), isCut, charset), cut: isCut }
}

export interface ShownText {
  readonly text: string
  readonly isJson: boolean
  /** First mistake of a text that begins as JSON. */
  readonly problem: CodeProblem | null
}

/** Returns the text of a view: formatted JSON, or the unchanged text. */
export function textToShow(
  { text, cut }: Pick<ReadText, 'text' | 'cut'>,
  view: BodyView,
): ShownText {
  const isFormatted = view === 'formatted'
  const formatted = formatJson(text, { cut, longest: isFormatted ? LONGEST_TEXT : 0 })
  const isJson = formatted !== null
  if (isJson || view === 'text')
    return { text: isFormatted ? (formatted ?? text) : text, isJson, problem: null }
  const mistake = explainInvalidJson(text)
  const startsAsJson = /[^\ufeff \t\r\n]/.test(text.slice(0, mistake?.at))
  return { text, isJson: false, problem: startsAsJson ? mistake : null }
}
