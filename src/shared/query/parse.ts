/**
 * Parser of the search language: `event:transaction.* is:invalid (amount:<0 OR card.scheme:visa)
 * -"coffee bar"`. `OR` binds weaker than adjacent terms.
 */
import { objectAsJson } from './pasted-object.ts'
import { EMPTY, allOf, anyOf, type Expression, type Item, type Name } from './expression.ts'
import { fieldOf, type FieldName } from './fields.ts'
import { flagWords } from './flag-words.ts'
import { problemAt, type Mistake } from './problem.ts'
import type { Query } from './query.ts'
import { withExplicitPossibleEvents, withPossibleEvents } from './possible-events.ts'
import {
  interpretItem,
  interpretExpression,
  interpretText,
  type QueryContext,
} from './interpret.ts'
import { readName } from './term-name.ts'

const MOST_TERMS = 200
const DEEPEST_NESTING = 40

/** Top-level term, edited as one piece. */
export interface QueryPiece {
  readonly from: number
  readonly to: number
}

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
  readonly terms: readonly Term[]
  readonly values: readonly FieldValue[]
}

/** Context for checking values, which depends on neither time nor hooks. */
const NO_CONTEXT: QueryContext = { now: 0, hooks: [] }
const SPACE = /\s/
/** Lone punctuation between words, ignored unless it is a comparison: `Pedal & Spoke`. */
const LONE_SIGNS = /(?![<>=!]*[<>=](?:[\s)]|$))[^\s()"{}\p{L}\p{N}]+(?=[\s)]|$)/uy
const KEYWORD = /(OR|AND|NOT)(?=[\s()"]|$)/y

/** Minus sign (U+2212) of word processors. */
const MINUS_SIGN = /(^|[<>=]|\.\.)\u2212(?=[\d.])/g

/** Parses a query into its expression and pieces. Throws `INVALID_QUERY` with a `QueryProblem`. */
export function parsePieces(text: string): Parsed {
  return new QueryParser(text).parse()
}

const mistakeOf = (sentence: string, ...suggestions: readonly string[]): Mistake => ({
  sentence,
  suggestions,
})

const isEmpty = (part: Expression | undefined) => part?.kind === 'all' && part.of.length === 0

class QueryParser {
  readonly #text: string
  readonly #pieces: QueryPiece[] = []
  readonly #terms: Term[] = []
  readonly #values: FieldValue[] = []
  #index = 0
  #termCount = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Parsed {
    const expression = this.#readAlternatives()
    if (this.#index < this.#text.length)
      this.#fail(this.#index, 1, mistakeOf('Unexpected closing parenthesis. Remove it.'))
    const pieces = this.#pieces
    // Terms joined by OR are one piece: removing one would invert the others.
    const whole = { from: pieces[0]?.from ?? 0, to: pieces.at(-1)?.to ?? 0 }
    return {
      expression,
      pieces: expression.kind === 'any' && pieces.length > 1 ? [whole] : pieces,
      terms: this.#terms,
      values: this.#values,
    }
  }

  #readAlternatives(): Expression {
    const parts = [this.#readConjunction()]
    while (this.#keyword() === 'OR') {
      const at = this.#index
      this.#index += 'OR'.length
      const next = this.#readConjunction()
      if (isEmpty(parts.at(-1)) || isEmpty(next))
        this.#fail(at, 2, mistakeOf('OR needs a term on both sides. Add one, or remove OR.'))
      parts.push(next)
    }
    return anyOf(parts)
  }

  /** Reads adjacent operands, which must all match: `a b AND c`. */
  #readConjunction(): Expression {
    const parts: Expression[] = []
    /** Start of lone punctuation before the first operand, whose piece includes it. */
    let signsFrom: number | null = null
    for (;;) {
      this.#skipSpace()
      const word = this.#keyword()
      if (this.#isAtEnd || word === 'OR') break
      const from = this.#index
      if (word === 'AND') {
        this.#readAnd({ isFirst: parts.length === 0 })
        continue
      }
      const signs = this.#loneSigns({ isFirst: parts.length === 0 })
      if (signs !== null) {
        this.#index += signs.length
        const previous = this.#depth === 0 && parts.length > 0 ? this.#pieces.pop() : undefined
        if (previous === undefined) signsFrom ??= from
        else this.#pieces.push({ from: previous.from, to: this.#index })
        continue
      }
      parts.push(this.#readOperand())
      if (this.#depth === 0) this.#pieces.push({ from: signsFrom ?? from, to: this.#index })
      signsFrom = null
    }
    return allOf(parts)
  }

  #readAnd({ isFirst }: { readonly isFirst: boolean }): void {
    const from = this.#index
    this.#index += 'AND'.length
    this.#skipSpace()
    const next = this.#keyword()
    if (isFirst || this.#isAtEnd || next === 'OR' || next === 'AND')
      this.#fail(from, 3, mistakeOf('AND needs a term on both sides. Add one, or remove AND.'))
  }

  /** Returns lone punctuation at this place; null for none, and if it is all that follows. */
  #loneSigns({ isFirst }: { readonly isFirst: boolean }): string | null {
    LONE_SIGNS.lastIndex = this.#index
    const signs = LONE_SIGNS.exec(this.#text)?.[0]
    // Signs may begin a name: `-$:😀`.
    const name = this.#index + (signs?.search(/[^-]|$/) ?? 0)
    if (signs === undefined || readName(this.#text, name) !== null) return null
    return isFirst && !/^\s+[^\s)]/.test(this.#text.slice(this.#index + signs.length))
      ? null
      : signs
  }

  /** Reads `-a`, `NOT a`, `(a b)`, `{"a":1}`, `name:value`, or words. */
  #readOperand(): Expression {
    const at = this.#index
    const next = this.#text[this.#index + 1]
    if (
      /[-\u2212]/.test(this.#text[this.#index] ?? '') &&
      next !== undefined &&
      !/[\s)]/.test(next)
    ) {
      this.#index++
      return this.#nested(at, () => ({ kind: 'not', of: this.#readOperand() }))
    }
    if (this.#keyword() === 'NOT') {
      this.#index += 'NOT'.length
      this.#skipSpace()
      if (this.#isAtEnd)
        this.#fail(
          at,
          3,
          mistakeOf('Nothing follows NOT. Add a term, such as NOT is:valid.', 'NOT is:valid'),
        )
      return this.#nested(at, () => ({ kind: 'not', of: this.#readOperand() }))
    }
    if (this.#text[this.#index] === '(') return this.#readGroup()
    if (this.#text[this.#index] === '{') return this.#readObject()
    const read = this.#text[this.#index] === '"' ? null : readName(this.#text, this.#index)
    if (read?.kind === 'mistake')
      return this.#fail(this.#index, read.end - 1 - this.#index, read.mistake)
    if (read?.name.kind === 'field' && read.name.field === 'body' && this.#text[read.end] === '{') {
      this.#index = read.end
      return this.#readObject()
    }
    const expression = read === null ? this.#readWords() : this.#readTerm(read.name, read.end)
    this.#terms.push({ from: at, to: this.#index, expression })
    return expression
  }

  #readGroup(): Expression {
    const start = this.#index++
    const inner = this.#nested(start, () => this.#readAlternatives())
    if (this.#text[this.#index] !== ')')
      return this.#fail(start, 1, mistakeOf('Missing closing parenthesis. Add one at the end.'))
    this.#index++
    if (isEmpty(inner))
      this.#fail(
        start,
        this.#index - start,
        mistakeOf('Nothing between these parentheses. Remove them.'),
      )
    return inner
  }

  #readTerm(name: Name, end: number): Term['expression'] {
    const nameText = this.#text.slice(this.#index, end)
    this.#index = end
    const items = [this.#readItem(name, nameText)]
    while (this.#text[this.#index] === ',') {
      this.#index++
      items.push(this.#readItem(name, nameText))
    }
    return { kind: 'term', name, items }
  }

  #readItem(name: Name, nameText: string): Item {
    const at = this.#index
    const quoted = this.#text[this.#index] === '"'
    const value = quoted
      ? this.#readQuoted()
      : this.#readBare(/[\s,)]/).replaceAll(MINUS_SIGN, '$1-')
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
      this.#fail(
        at,
        0,
        mistakeOf(
          `"${nameText}" has no value. Add one, such as ${nameText}${offered[0] ?? ''}.`,
          ...offered,
        ),
      )
    }
    if (value.includes('\0'))
      this.#fail(
        at,
        this.#index - at,
        mistakeOf("This value contains a character that can't be searched. Remove it."),
      )
    const item: Item = { quoted, text: value }
    const interpretation = interpretItem(name, item, NO_CONTEXT)
    if (!interpretation.ok) this.#fail(at, this.#index - at, interpretation.mistake)
    if (name.kind === 'field')
      this.#values.push({ from: at, to: this.#index, field: name.field, item })
    this.#countTerm(at)
    return item
  }

  #readWords(): Term['expression'] {
    const at = this.#index
    const quoted = this.#text[this.#index] === '"'
    const value = quoted ? this.#readQuoted() : this.#readBare(/[\s)]/)
    const isPrefix = quoted && this.#text[this.#index] === '*'
    if (isPrefix) this.#index++
    const exact = quoted && !isPrefix
    const interpretation = interpretText(value, exact)
    if (!interpretation.ok) this.#fail(at, this.#index - at, interpretation.mistake)
    this.#countTerm(at)
    return { kind: 'words', text: value, exact }
  }

  #readQuoted(): string {
    const start = this.#index
    let value = ''
    for (this.#index++; this.#index < this.#text.length; this.#index++) {
      const character = this.#text[this.#index] ?? ''
      if (character === '"') {
        this.#index++
        return value
      }
      if (character === '\\' && this.#index + 1 < this.#text.length)
        value += this.#text[++this.#index] ?? ''
      else value += character
    }
    return this.#fail(
      start,
      this.#text.length - start,
      mistakeOf('Missing closing quote. Add one at the end.', `${this.#text.slice(start)}"`),
    )
  }

  #readBare(stop: RegExp): string {
    const start = this.#index
    while (this.#index < this.#text.length && !stop.test(this.#text[this.#index] ?? ''))
      this.#index++
    return this.#text.slice(start, this.#index)
  }

  #readObject(): Expression {
    const start = this.#index
    let open = 0
    for (; this.#index < this.#text.length; this.#index++) {
      const character = this.#text[this.#index]
      if (character === '"') {
        this.#readQuoted()
        this.#index--
      } else if (character === "'") {
        const end = this.#text.indexOf("'", this.#index + 1)
        if (end !== -1) this.#index = end
      } else if (character === '{' || character === '[') open++
      else if ((character === '}' || character === ']') && --open === 0) break
    }
    if (open !== 0)
      return this.#fail(start, 1, mistakeOf('Missing closing brace. Add one at the end.'))
    this.#index++
    const json = objectAsJson(this.#text.slice(start, this.#index))
    if (json === null) return this.#failInObject(start)
    this.#countTerm(start)
    return { kind: 'json', text: json }
  }

  #failInObject(start: number): never {
    let at = start
    try {
      JSON.parse(this.#text.slice(start, this.#index))
    } catch (error) {
      at += Number(/at position (\d+)/.exec((error as Error).message)?.[1] ?? 0)
    }
    return this.#fail(
      Math.min(at, this.#index - 1),
      1,
      mistakeOf('Invalid JSON. To search it as text, put it in quotes.'),
    )
  }

  #skipSpace(): void {
    while (this.#index < this.#text.length && SPACE.test(this.#text[this.#index] ?? ''))
      this.#index++
  }

  #keyword(): string | null {
    KEYWORD.lastIndex = this.#index
    return KEYWORD.exec(this.#text)?.[1] ?? null
  }

  get #isAtEnd(): boolean {
    return this.#index >= this.#text.length || this.#text[this.#index] === ')'
  }

  #nested<T>(at: number, read: () => T): T {
    this.#depth++
    if (this.#depth > DEEPEST_NESTING)
      this.#fail(at, 1, mistakeOf('Too many nested levels. Remove parentheses.'))
    const value = read()
    this.#depth--
    return value
  }

  #countTerm(at: number): void {
    this.#termCount++
    if (this.#termCount > MOST_TERMS)
      this.#fail(
        at,
        1,
        mistakeOf(`Too long: a search can have ${MOST_TERMS} terms and values. Remove some.`),
      )
  }

  #fail(at: number, length: number, mistake: Mistake): never {
    throw problemAt(this.#text, at, length, mistake)
  }
}

/** Parses a query; empty matches everything. Throws `INVALID_QUERY`. */
export function parseQuery(text: string): Expression {
  return text === '' ? EMPTY : parsePieces(text).expression
}

/** Interprets a query; `event:` matches possible events too. Throws `INVALID_QUERY`. */
export function readQuery(text: string, context: QueryContext): Query {
  return withPossibleEvents(interpretExpression(parseQuery(text), context))
}

/**
 * Interprets a query for actions; `event:` matches identified events only. Throws `INVALID_QUERY`.
 */
export function readIdentifiedQuery(text: string, context: QueryContext): Query {
  return withExplicitPossibleEvents(interpretExpression(parseQuery(text), context))
}
