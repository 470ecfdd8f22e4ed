/**
 * Parses the search language: `event:transaction.* is:invalid (amount:<0 OR card.scheme:visa) -"coffee bar"`. Adjacent terms must
 * all match; `OR` binds weaker. Errors point at the first characters that make no sense.
 */
import { EMPTY, allOf, anyOf, type Expression, type Item, type Name } from './expression.ts'
import { fieldOf, type FieldName } from './fields.ts'
import { flagWords } from './flag-words.ts'
import { problemAt, type Mistake } from './problem.ts'
import { NOT_OF_FLOWS, withAskedPossibleEvents, withPossibleEvents, type Query } from './query.ts'
import { itemMeaning, queryFor, textMeaning, type QueryContext } from './meaning.ts'
import { readName } from './names.ts'

/** Nobody types more than these, and the database's own limits are not much higher. */
const MOST_TERMS = 200
const DEEPEST = 40

/** A top-level term of the text, shown and edited as one piece. */
export interface QueryPiece {
  readonly from: number
  readonly to: number
}

/** A field, path or text at any level, without the operators around it. */
export interface Term extends QueryPiece {
  readonly expression: Extract<Expression, { readonly kind: 'term' | 'words' }>
}

export interface FieldValue extends QueryPiece {
  readonly field: FieldName
  readonly item: Item
}

export interface Parsed {
  readonly expression: Expression
  readonly pieces: readonly QueryPiece[]
  /** In text order. */
  readonly terms: readonly Term[]
  /** The values after fields, in text order. */
  readonly values: readonly FieldValue[]
}

const NOWHERE: QueryContext = { now: 0, hooks: [] }
const SPACE = /\s/
/** Signs between words, as in `Pedal & Spoke`, unless they compare: `status >= 400`. */
const SIGNS_ALONE = /(?![<>=!]*[<>=](?:[\s)]|$))[^\s()"{}\p{L}\p{N}]+(?=[\s)]|$)/uy
const KEYWORD = /(OR|AND|NOT)(?=[\s()"]|$)/y

/** A minus sign (U+2212), as word processors and web pages write negative numbers. */
const MINUS_SIGN = /(^|[<>=]|\.\.)\u2212(?=[\d.])/g

/** Parses a query into its expression and its top-level pieces. Throws `INVALID_QUERY` with a `QueryProblem` as details. */
export function parsePieces(text: string): Parsed {
  let index = 0
  let termCount = 0
  let depth = 0
  const pieces: QueryPiece[] = []
  const terms: Term[] = []
  const values: FieldValue[] = []

  const fail = (at: number, length: number, mistake: Mistake): never => {
    throw problemAt(text, at, length, mistake)
  }
  const said = (sentence: string, ...suggestions: readonly string[]): Mistake => ({
    sentence,
    suggestions,
  })

  const skipSpace = () => {
    while (index < text.length && SPACE.test(text[index] ?? '')) index++
  }
  const keyword = (): string | null => {
    KEYWORD.lastIndex = index
    return KEYWORD.exec(text)?.[1] ?? null
  }
  /** Signs between words; null if the term here is another one, or the only one. */
  const signsHere = (isFirst: boolean): string | null => {
    SIGNS_ALONE.lastIndex = index
    const signs = SIGNS_ALONE.exec(text)?.[0]
    // `-$:😀` is a name with a value, too.
    const name = index + (signs?.search(/[^-]|$/) ?? 0)
    if (signs === undefined || readName(text, name) !== null) return null
    return isFirst && !/^\s+[^\s)]/.test(text.slice(index + signs.length)) ? null : signs
  }
  const countTerm = (at: number) => {
    termCount++
    if (termCount > MOST_TERMS)
      fail(at, 1, said(`Too long: a search can have ${MOST_TERMS} terms and values. Remove some.`))
  }

  function deeper<T>(at: number, read: () => T): T {
    depth++
    if (depth > DEEPEST) fail(at, 1, said('Too many nested levels. Remove parentheses.'))
    const value = read()
    depth--
    return value
  }

  function readQuoted(): string {
    const start = index
    let value = ''
    for (index++; index < text.length; index++) {
      const character = text[index] ?? ''
      if (character === '"') {
        index++
        return value
      }
      if (character === '\\' && index + 1 < text.length) value += text[++index] ?? ''
      else value += character
    }
    return fail(
      start,
      text.length - start,
      said('Missing closing quote. Add one at the end.', `${text.slice(start)}"`),
    )
  }

  function readBare(stop: RegExp): string {
    const start = index
    while (index < text.length && !stop.test(text[index] ?? '')) index++
    return text.slice(start, index)
  }

  function readItem(name: Name, nameText: string): Item {
    const at = index
    const quoted = text[index] === '"'
    const value = quoted ? readQuoted() : readBare(/[\s,)]/).replaceAll(MINUS_SIGN, '$1-')
    if (value === '' && !quoted) {
      const field = name.kind === 'field' ? fieldOf(name.field) : null
      const offered: readonly string[] =
        field?.kind === 'flag'
          ? flagWords(field.of).map(({ word }) => word)
          : field?.kind === 'choice'
            ? Object.keys(field.values)
            : field === null
              ? ['*']
              : [field.example.slice(nameText.length)]
      fail(
        at,
        0,
        said(
          `"${nameText}" has no value. Add one, such as ${nameText}${offered[0] ?? ''}.`,
          ...offered,
        ),
      )
    }
    if (value.includes('\0'))
      fail(
        at,
        index - at,
        said("This value contains a character that can't be searched. Remove it."),
      )
    const item: Item = { quoted, text: value }
    const meaning = itemMeaning(name, item, NOWHERE)
    if (!meaning.ok) fail(at, index - at, meaning.mistake)
    if (name.kind === 'field') values.push({ from: at, to: index, field: name.field, item })
    countTerm(at)
    return item
  }

  function readTerm(name: Name, end: number): Term['expression'] {
    const nameText = text.slice(index, end)
    index = end
    const items = [readItem(name, nameText)]
    while (text[index] === ',') {
      index++
      items.push(readItem(name, nameText))
    }
    return { kind: 'term', name, items }
  }

  function readWords(): Term['expression'] {
    const at = index
    const quoted = text[index] === '"'
    const value = quoted ? readQuoted() : readBare(/[\s)]/)
    const begun = quoted && text[index] === '*'
    if (begun) index++
    const exact = quoted && !begun
    const meaning = textMeaning(value, exact)
    if (!meaning.ok) fail(at, index - at, meaning.mistake)
    countTerm(at)
    return { kind: 'words', text: value, exact }
  }

  function failInObject(start: number): never {
    let at = start
    try {
      JSON.parse(text.slice(start, index))
    } catch (error) {
      at += Number(/at position (\d+)/.exec((error as Error).message)?.[1] ?? 0)
    }
    return fail(
      Math.min(at, index - 1),
      1,
      said('Invalid JSON. To search it as text, put it in quotes.'),
    )
  }

  function readObject(): Expression {
    const start = index
    let open = 0
    for (; index < text.length; index++) {
      const character = text[index]
      if (character === '"') {
        readQuoted()
        index--
      } else if (character === "'") {
        const end = text.indexOf("'", index + 1)
        if (end !== -1) index = end
      } else if (character === '{' || character === '[') open++
      else if ((character === '}' || character === ']') && --open === 0) break
    }
    if (open !== 0) return fail(start, 1, said('Missing closing brace. Add one at the end.'))
    index++
    const json = objectAsJson(text.slice(start, index))
    if (json === null) return failInObject(start)
    countTerm(start)
    return { kind: 'json', text: json }
  }

  function readGroup(): Expression {
    const start = index++
    const inner = deeper(start, readAny)
    if (text[index] !== ')')
      return fail(start, 1, said('Missing closing parenthesis. Add one at the end.'))
    index++
    if (isEmpty(inner))
      fail(start, index - start, said('Nothing between these parentheses. Remove them.'))
    return inner
  }

  function readOne(): Expression {
    const at = index
    const next = text[index + 1]
    if (/[-\u2212]/.test(text[index] ?? '') && next !== undefined && !/[\s)]/.test(next)) {
      index++
      return deeper(at, () => ({ kind: 'not', of: readOne() }))
    }
    if (keyword() === 'NOT') {
      index += 'NOT'.length
      skipSpace()
      if (isAtEnd())
        fail(at, 3, said('Nothing follows NOT. Add a term, such as NOT is:valid.', 'NOT is:valid'))
      return deeper(at, () => ({ kind: 'not', of: readOne() }))
    }
    if (text[index] === '(') return readGroup()
    if (text[index] === '{') return readObject()
    const read = text[index] === '"' ? null : readName(text, index)
    if (read?.kind === 'mistake') return fail(index, read.end - 1 - index, read.mistake)
    if (read?.name.kind === 'field' && read.name.field === 'body' && text[read.end] === '{') {
      index = read.end
      return readObject()
    }
    const expression = read === null ? readWords() : readTerm(read.name, read.end)
    terms.push({ from: at, to: index, expression })
    return expression
  }

  const isEmpty = (part: Expression | undefined) => part?.kind === 'all' && part.of.length === 0
  const isAtEnd = () => index >= text.length || text[index] === ')'

  function readAll(): Expression {
    const parts: Expression[] = []
    /** Where signs before the first term begin: they belong to its piece. */
    let signsFrom: number | null = null
    for (;;) {
      skipSpace()
      const word = keyword()
      if (isAtEnd() || word === 'OR') break
      const from = index
      if (word === 'AND') {
        index += word.length
        skipSpace()
        if (parts.length === 0 || isAtEnd() || keyword() === 'OR' || keyword() === 'AND')
          fail(from, word.length, said('AND needs a term on both sides. Add one, or remove AND.'))
        continue
      }
      const signs = signsHere(parts.length === 0)
      if (signs !== null) {
        index += signs.length
        const before = depth === 0 && parts.length > 0 ? pieces.pop() : undefined
        if (before === undefined) signsFrom ??= from
        else pieces.push({ from: before.from, to: index })
        continue
      }
      parts.push(readOne())
      if (depth === 0) pieces.push({ from: signsFrom ?? from, to: index })
      signsFrom = null
    }
    return allOf(parts)
  }

  function readAny(): Expression {
    const parts = [readAll()]
    while (keyword() === 'OR') {
      const at = index
      index += 'OR'.length
      const next = readAll()
      if (isEmpty(parts.at(-1)) || isEmpty(next))
        fail(at, 2, said('OR needs a term on both sides. Add one, or remove OR.'))
      parts.push(next)
    }
    return anyOf(parts)
  }

  const expression = readAny()
  if (index < text.length) fail(index, 1, said('Unexpected closing parenthesis. Remove it.'))
  // Terms joined by OR aren't separate pieces: removing one would invert the meaning of the others.
  const whole = { from: pieces[0]?.from ?? 0, to: pieces.at(-1)?.to ?? 0 }
  return {
    expression,
    pieces: expression.kind === 'any' && pieces.length > 1 ? [whole] : pieces,
    terms,
    values,
  }
}

/** Parses a query; the empty one matches everything. Throws `INVALID_QUERY` with a `QueryProblem` as details. */
export function parseQuery(text: string): Expression {
  return text === '' ? EMPTY : parsePieces(text).expression
}

/**
 * Interprets a query at the current time; `event:` also matches possible events. Throws `INVALID_QUERY` with a `QueryProblem` as
 * details.
 */
export function readQuery(text: string, surroundings: QueryContext): Query {
  return withPossibleEvents(queryFor(parseQuery(text), surroundings))
}

/** The same for actions on every match: a plain `event:` matches identified events only. */
export function readIdentifiedQuery(text: string, surroundings: QueryContext): Query {
  return withAskedPossibleEvents(queryFor(parseQuery(text), surroundings))
}

/** Whether a value of some field passes a test, which gets whether the query excludes it. */
function someValue(
  query: Expression,
  passes: (field: FieldName, value: string, isExcluded: boolean) => boolean,
  isExcluded = false,
): boolean {
  switch (query.kind) {
    case 'all':
    case 'any':
      return query.of.some((part) => someValue(part, passes, isExcluded))
    case 'not':
      return someValue(query.of, passes, !isExcluded)
    case 'term': {
      const { name, items } = query
      return name.kind === 'field' && items.some(({ text }) => passes(name.field, text, isExcluded))
    }
    default:
      return false
  }
}

/**
 * Whether a query says which deliveries of flow runs it wants: by `is:flow`, `is:any` or `flow:`,
 * or by naming a delivery or a hook. Lists leave them out otherwise.
 */
export function namesFlowRuns(query: Expression): boolean {
  return someValue(query, (field, value, isExcluded) =>
    field === 'is'
      ? /^(?:flow|any)$/i.test(value)
      : field === 'flow' || (!isExcluded && (field === 'id' || field === 'hook')),
  )
}

/**
 * Whether a query asks for deliveries without a valid signature or a known event, or for one by its
 * ID.
 */
export function asksForUnverified(query: Expression): boolean {
  return someValue(query, (field, value, isExcluded) => {
    if (field !== 'is' && field !== 'verdict') return field === 'id' && !isExcluded
    return (isExcluded ? /^valid$/i : /^(?:invalid|unsigned|unknown-hook|possible)$/i).test(value)
  })
}

/** The meaning of a query in a list: without deliveries of flow runs, unless it names them. */
export function listQuery(text: string, query: Query): Query {
  return namesFlowRuns(parseQuery(text)) ? query : { kind: 'all', of: [query, NOT_OF_FLOWS] }
}

// Pasted objects: JSON, or the output of consoles and logs in several languages. `{status: 'paid', ok: True,}` is unambiguous, so
// it is accepted and not rejected for its quotes.

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
function objectAsJson(pasted: string): string | null {
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
