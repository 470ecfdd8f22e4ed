/** What stands before a colon: a field, a header, or a path into a JSON body; and what was meant where it is none of them. */
import { shownTopLevelKeys } from '../service/payload-schemas.ts'
import type { Name } from './expression.ts'
import { fieldNames, findField } from './fields.ts'
import { nearest, type Mistake } from './problem.ts'
import type { Step } from './query.ts'

const FIRST = String.raw`[\p{L}_][\p{L}\p{N}_-]*`
const STEP = String.raw`\.[\p{L}\p{N}_$-]+|\[(?:\d{1,9}|"(?:[^"\\]|\\.)*")\]`
const NAME = new RegExp(String.raw`(\$|${FIRST})((?:${STEP})*):`, 'uy')
/** A path that goes wrong, up to its colon; `://` begins an address. */
const BROKEN = new RegExp(String.raw`((?:\$|${FIRST})(?:${STEP})*)([.[][^\s:"(),]*):(?!//)`, 'uy')
const STEPS = new RegExp(STEP, 'gu')
const PLAIN_FIRST = new RegExp(`^${FIRST}$`, 'u')
const PLAIN_STEP = /^[\p{L}\p{N}_$-]+$/u

/** Words that other tools use, and the field that has it here. */
const CALLED_OTHERWISE: Readonly<Record<string, string>> = {
  env: 'environment',
  sig: 'verdict',
  signature: 'verdict',
  since: 'after',
  until: 'before',
  time: 'received',
  date: 'received',
  url: 'path',
  ip: 'remote',
  code: 'status',
  answer: 'status',
  duration: 'ms',
  latency: 'ms',
  headers: 'header',
  hash: 'sha256',
  age: 'within',
}

export type ReadName =
  | { readonly kind: 'name'; readonly name: Name; readonly end: number }
  /** A single word that is no field and no field of a body that the interface shows, but near to one; or a path that goes wrong. */
  | { readonly kind: 'mistake'; readonly mistake: Mistake; readonly end: number }

function stepsIn(text: string): Step[] {
  return (text.match(STEPS) ?? []).map((step) => {
    if (step.startsWith('.')) return step.slice(1)
    const inner = step.slice(1, -1)
    return inner.startsWith('"') ? (JSON.parse(inner) as string) : Number(inner)
  })
}

/** What a single unknown word was probably meant to be. */
function mistakeIn(word: string): Mistake | null {
  if (shownTopLevelKeys.has(word)) return null
  const otherwise = CALLED_OTHERWISE[word.toLowerCase()]
  const meant =
    otherwise === undefined ? nearest(word, fieldNames).filter((name) => Math.abs(name.length - word.length) <= 2) : [otherwise]
  if (meant[0] === undefined) return null
  return {
    sentence: `There is no field "${word}". Did you mean ${meant[0]}:? For a field of the body write $.${word}:`,
    suggestions: meant.map((name) => `${name}:`),
  }
}

/** What is wrong with a path that NAME does not read; null where it is none at all. */
function readBroken(text: string, start: number): ReadName | null {
  BROKEN.lastIndex = start
  const [whole, sound, rest = ''] = BROKEN.exec(text) ?? []
  if (whole === undefined || sound === undefined) return null
  const mended = `${sound}${rest.replaceAll(/\[\*?\]/g, '').replaceAll(/\.+(?=[.[]|$)/g, '')}:`
  if (/\[\*?\]/.test(rest)) {
    const every = `Every element of an array is looked at without brackets: ${mended}`
    return { kind: 'mistake', mistake: { sentence: every, suggestions: [mended] }, end: start + whole.length }
  }
  const sentence = `"${sound}${rest}" is not a path: after a dot comes a key, in brackets a number or a key in quotes. Looked for as text it is written in quotes.`
  NAME.lastIndex = 0
  const suggestions = NAME.exec(mended)?.[0] === mended ? [mended] : []
  return { kind: 'mistake', mistake: { sentence, suggestions }, end: start + whole.length }
}

/** Reads a name with its colon at `start`; null where there is none. */
export function readName(text: string, start: number): ReadName | null {
  NAME.lastIndex = start
  const [whole, first, rest = ''] = NAME.exec(text) ?? []
  if (whole === undefined || first === undefined) return readBroken(text, start)
  const end = start + whole.length
  let steps: Step[]
  try {
    steps = stepsIn(rest)
  } catch {
    return {
      kind: 'mistake',
      mistake: { sentence: 'The key in brackets is not a text as JSON writes it.', suggestions: [] },
      end,
    }
  }
  if (first === '$') return { kind: 'name', name: { kind: 'path', steps }, end }
  const [header, ...more] = steps
  if (first.toLowerCase() === 'header' && typeof header === 'string' && more.length === 0)
    return { kind: 'name', name: { kind: 'header', header }, end }
  const field = steps.length === 0 ? findField(first) : null
  if (field !== null) return { kind: 'name', name: { kind: 'field', field }, end }
  // An address is text: nobody looks for a field `https`.
  if (text.startsWith('//', end)) return null
  if (steps.length > 0) return { kind: 'name', name: { kind: 'path', steps: [first, ...steps] }, end }
  const mistake = mistakeIn(first)
  return mistake === null ? { kind: 'name', name: { kind: 'path', steps: [first] }, end } : { kind: 'mistake', mistake, end }
}

function printStep(step: Step): string {
  if (typeof step === 'number') return `[${step}]`
  return PLAIN_STEP.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}

/** Writes a path so that it is read as the same path: `card.scheme`, `$.status`, `$["a b"][0]`. */
export function printPath(steps: readonly Step[]): string {
  const [first, ...rest] = steps
  const short = typeof first === 'string' && PLAIN_FIRST.test(first) ? first + rest.map(printStep).join('') : null
  const read = short === null ? null : readName(`${short}:`, 0)
  if (short !== null && read?.kind === 'name' && read.name.kind === 'path') return short
  return `$${steps.map(printStep).join('')}`
}

/** Writes what stands before a colon. */
export function printName(name: Name): string {
  if (name.kind === 'field') return name.field
  return name.kind === 'header' ? `header.${name.header}` : printPath(name.steps)
}
