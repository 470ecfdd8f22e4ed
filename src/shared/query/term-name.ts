/** Name of a term, before its colon: `event`, `header.host`, `card.scheme`, `$["a b"][0]`. */
import { shownTopLevelKeys } from '../service/payload-schemas.ts'
import type { Name } from './expression.ts'
import { fieldNames, findField } from './fields.ts'
import { likelyNames, type Mistake } from './problem.ts'
import type { Step } from './query.ts'

const FIRST = String.raw`[\p{L}_][\p{L}\p{N}_-]*`
const STEP = String.raw`\.[\p{L}\p{N}_$-]+|\[(?:\d{1,9}|"(?:[^"\\]|\\.)*")\]`
const NAME = new RegExp(String.raw`(\$|${FIRST})((?:${STEP})*):`, 'uy')
/** Valid steps, then an invalid one: `a.b[*]:`. `(?=(…))\2` never backtracks. */
const BROKEN_PATH = new RegExp(
  String.raw`((?:\$|${FIRST})(?=((?:${STEP})*))\2)([.[][^\s:"(),]*):(?!//)`,
  'uy',
)
const STEPS = new RegExp(STEP, 'gu')
const PLAIN_FIRST = new RegExp(`^${FIRST}$`, 'u')
const PLAIN_STEP = /^[\p{L}\p{N}_$-]+$/u

export type ReadName =
  | { readonly kind: 'name'; readonly name: Name; readonly end: number }
  /** Word similar to a field, or an invalid path. */
  | { readonly kind: 'mistake'; readonly mistake: Mistake; readonly end: number }

function stepsIn(text: string): Step[] {
  return (text.match(STEPS) ?? []).map((step) => {
    if (step.startsWith('.')) return step.slice(1)
    const inner = step.slice(1, -1)
    return inner.startsWith('"') ? (JSON.parse(inner) as string) : Number(inner)
  })
}

/** Returns the mistake in a word that resembles a field. */
function mistakeIn(word: string): Mistake | null {
  if (shownTopLevelKeys.has(word)) return null
  const suggestions = likelyNames(word, fieldNames).filter(
    (name) => Math.abs(name.length - word.length) <= 2,
  )
  if (suggestions[0] === undefined) return null
  return {
    sentence: `Unknown field "${word}". Did you mean ${suggestions[0]}:? For a body field, use $.${word}:`,
    suggestions: suggestions.map((name) => `${name}:`),
  }
}

/** Returns the mistake in a path, and the path without empty steps or `[*]`. */
function readBrokenPath(text: string, start: number): ReadName | null {
  BROKEN_PATH.lastIndex = start
  const [whole, validPart, , rest = ''] = BROKEN_PATH.exec(text) ?? []
  if (whole === undefined || validPart === undefined) return null
  const corrected = `${validPart}${rest.replaceAll(/\[\*?\]/g, '').replaceAll(/\.+(?=[.[]|$)/g, '')}:`
  if (/\[\*?\]/.test(rest)) {
    const sentence = `"${validPart}${rest}" isn't a valid path. To search every array element, leave out the brackets: ${corrected}`
    return {
      kind: 'mistake',
      mistake: { sentence, suggestions: [corrected] },
      end: start + whole.length,
    }
  }
  const sentence = `"${validPart}${rest}" isn't a valid path. Use a key after a dot, and a number or quoted key in brackets. To search it as text, put it in quotes.`
  NAME.lastIndex = 0
  const suggestions = NAME.exec(corrected)?.[0] === corrected ? [corrected] : []
  return { kind: 'mistake', mistake: { sentence, suggestions }, end: start + whole.length }
}

export function readName(text: string, start: number): ReadName | null {
  NAME.lastIndex = start
  const [whole, first, rest = ''] = NAME.exec(text) ?? []
  if (whole === undefined || first === undefined) return readBrokenPath(text, start)
  const end = start + whole.length
  let steps: Step[]
  try {
    steps = stepsIn(rest)
  } catch {
    return {
      kind: 'mistake',
      mistake: {
        sentence: 'The key in brackets isn\'t a valid JSON string. Quote it, such as ["a b"].',
        suggestions: [],
      },
      end,
    }
  }
  if (first === '$') return { kind: 'name', name: { kind: 'path', steps }, end }
  const [header, ...furtherSteps] = steps
  if (first.toLowerCase() === 'header' && typeof header === 'string' && furtherSteps.length === 0)
    return { kind: 'name', name: { kind: 'header', header }, end }
  const field = steps.length === 0 ? findField(first) : null
  if (field !== null) return { kind: 'name', name: { kind: 'field', field }, end }
  // A URL is text.
  if (text.startsWith('//', end)) return null
  if (steps.length > 0)
    return { kind: 'name', name: { kind: 'path', steps: [first, ...steps] }, end }
  const mistake = mistakeIn(first)
  return mistake === null
    ? { kind: 'name', name: { kind: 'path', steps: [first] }, end }
    : { kind: 'mistake', mistake, end }
}

function printStep(step: Step): string {
  if (typeof step === 'number') return `[${step}]`
  return PLAIN_STEP.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}

/** Prints a path that parses to an equal one: `card.scheme`, `$["a b"][0]`. */
export function printPath(steps: readonly Step[]): string {
  const [first, ...rest] = steps
  const short =
    typeof first === 'string' && PLAIN_FIRST.test(first)
      ? first + rest.map(printStep).join('')
      : null
  const read = short === null ? null : readName(`${short}:`, 0)
  if (short !== null && read?.kind === 'name' && read.name.kind === 'path') return short
  return `$${steps.map(printStep).join('')}`
}
