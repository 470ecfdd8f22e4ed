/**
 * Pasted objects: JSON, or the output of consoles and logs in several languages. `{status: 'paid', ok: True,}` is unambiguous, so
 * it is accepted and not rejected for its quotes.
 */
import { printPath } from './names.ts'
import type { Mistake } from './problem.ts'
import type { Step } from './query.ts'

const TOKEN =
  /\s+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\p{L}_$][\p{L}\p{N}_$]*|-?\d[\d.eE+-]*|=>|[{}[\],:]/suy
const WORDS: Readonly<Record<string, string>> = {
  True: 'true',
  False: 'false',
  None: 'null',
  nil: 'null',
}
const NAMED = /^\s*(?::|=>)/
const CLOSED = /^\s*[}\]]/

/** Text in single quotes, converted to JSON. */
function inDoubleQuotes(text: string): string {
  return `"${text.slice(1, -1).replaceAll(/\\'|(?<!\\)"/g, (sign) => (sign === '"' ? String.raw`\"` : "'"))}"`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The object as JSON, unchanged if it already is JSON; null if it can't be parsed. */
export function objectAsJson(pasted: string): string | null {
  if (isJson(pasted)) return pasted
  let json = ''
  for (let index = 0; index < pasted.length;) {
    TOKEN.lastIndex = index
    const token = TOKEN.exec(pasted)?.[0]
    if (token === undefined) return null
    index += token.length
    const rest = pasted.slice(index, index + 100)
    if (token.startsWith("'")) json += inDoubleQuotes(token)
    else if (token === '=>') json += ':'
    else if (token === ',') json += CLOSED.test(rest) ? '' : ','
    else if (/^[\p{L}_$]/u.test(token))
      json += NAMED.test(rest) ? `"${token}"` : (WORDS[token] ?? token)
    else json += token
  }
  return isJson(json) ? json : null
}

const COMPARISONS: Readonly<Record<string, string>> = {
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
  $eq: '',
}
const OPERATOR =
  /"(\$(?:gte?|lte?|eq|neq?|n?in|exists?|regex|contains|startsWith|endsWith|and|or|not))"\s*:/

/** Terms equivalent to an object from another search language; null if one of its operators has no equivalent. */
function termsOf(value: unknown, path: readonly Step[]): readonly string[] | null {
  const written = path.length === 0 ? '' : `${printPath(path)}:`
  if (typeof value === 'string') return [written + JSON.stringify(value)]
  if (typeof value !== 'object' || value === null) return [written + String(value)]
  if (Array.isArray(value)) return null
  const terms = Object.entries(value).map(([key, inner]: [string, unknown]) => {
    if (!key.startsWith('$')) return termsOf(inner, [...path, key])
    const sign = COMPARISONS[key]
    const isPlain =
      typeof inner === 'number' || (typeof inner === 'string' && /^[\w.:+-]+$/.test(inner))
    return sign === undefined || written === '' || !isPlain
      ? null
      : [written + sign + String(inner)]
  })
  return terms.includes(null) ? null : terms.flatMap((one) => one ?? [])
}

/** A hint for an object whose keys are operators, as in other tools' comparisons: here they are ordinary keys. */
export function operatorHint(json: string): Mistake | null {
  const operator = OPERATOR.exec(json)?.[1]
  if (operator === undefined) return null
  const terms = termsOf(JSON.parse(json), [])?.join(' ')
  const sentence = `"${operator}" is searched as a key. Write comparisons with the path: ${terms ?? 'amount:>=100'}`
  return { sentence, suggestions: terms === undefined ? [] : [terms] }
}
