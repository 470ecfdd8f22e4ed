/** Interpretation of an expression as a query: times relative to now, hooks by id. */
import type { Expression, Item, Name } from './expression.ts'
import { fieldOf, type FieldName } from './fields.ts'
import { flagQuery, flagWords } from './flag-words.ts'
import { FLAGS, type FlagName } from './flags.ts'
import { isDecimal } from './decimal.ts'
import { accept, parseBounds, reject, type Interpretation } from './interpretation.ts'
import { interpretNumber } from './interpret-number.ts'
import { interpretTime } from './interpret-time.ts'
import { EVERYTHING, NOTHING, type JsonTest, type Query } from './query.ts'
import { fitsPattern, foldCase, patternOf } from './pattern.ts'
import { likelyNames, type Mistake } from './problem.ts'
import { endsUnspaced, splitWords } from './search-words.ts'

export interface NamedHook {
  readonly id: string
  readonly remoteId: string | null
  readonly url: string
  readonly path: string
}

export interface QueryContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly hooks: readonly NamedHook[]
}

const patternIn = ({ quoted, text }: Item) => (quoted ? [text] : patternOf(text))

/** Returns `refunds` of `/h/refunds?x=1`. */
function slugOf(path: string): string | null {
  return /^\/h\/([^/?]+)/.exec(path)?.[1] ?? null
}

/** Returns a hook's names, shortest first. */
export function hookNames({ id, remoteId, url, path }: NamedHook): readonly string[] {
  return [slugOf(path), url, path, remoteId, id].filter((name) => name !== null)
}

function interpretHook(item: Item, hooks: readonly NamedHook[]): Interpretation {
  const pattern = patternIn(item).map(foldCase)
  const values = hooks
    .filter((hook) => hookNames(hook).some((name) => fitsPattern(pattern, foldCase(name))))
    .map(({ id }) => id)
  // A deleted hook is still found by the id stored with its deliveries.
  if (values.length === 0)
    return accept(
      pattern.length > 1 ? NOTHING : { kind: 'one-of', field: 'hook', values: [item.text] },
    )
  return accept({ kind: 'one-of', field: 'hook', values })
}

function interpretHeader(item: Item): Interpretation {
  const colon = item.text.indexOf(':')
  if (colon === -1) return accept({ kind: 'header', name: patternIn(item), value: null })
  const name = item.text.slice(0, colon).trim()
  if (name === '')
    return reject('Add a header name before the colon.', ['"content-type: application/json"'])
  const value = { quoted: item.quoted, text: item.text.slice(colon + 1).trim() }
  return accept({
    kind: 'header',
    name: patternIn({ ...item, text: name }),
    value: patternIn(value),
  })
}

function interpretField(name: FieldName, item: Item, { now, hooks }: QueryContext): Interpretation {
  const field = fieldOf(name)
  switch (field.kind) {
    case 'text':
      return accept({
        kind: 'text',
        field: name,
        pattern: field.anywhereIn !== undefined ? ['', ...patternIn(item), ''] : patternIn(item),
      })
    case 'choice': {
      const choices = Object.keys(field.values)
      const value = item.text.toLowerCase()
      if (choices.includes(value)) return accept({ kind: 'one-of', field: name, values: [value] })
      return unknownWord(name, item.text, choices)
    }
    case 'number': {
      const flag = field.words === undefined ? null : `${name}:${item.text.toLowerCase()}`
      if (flag !== null && Object.hasOwn(FLAGS, flag))
        return accept({ kind: 'flag', flag: flag as FlagName })
      return interpretNumber(name, field.kind, item, Object.keys(field.words ?? {}))
    }
    case 'size':
    case 'duration':
      return interpretNumber(name, field.kind, item)
    case 'time':
      return interpretTime(name, field, item, now)
    case 'paths': {
      const test = parseJsonTest(item)
      return 'sentence' in test
        ? { ok: false, mistake: test }
        : accept({ kind: 'any', of: field.paths.map((path) => ({ kind: 'json', path, test })) })
    }
    case 'hook':
      return interpretHook(item, hooks)
    case 'header':
      return interpretHeader(item)
    case 'body':
      return interpretWords('body', item.text, item.quoted)
    case 'flag': {
      const query = flagQuery(field.of, item.text)
      return query === null
        ? unknownWord(
            name,
            item.text,
            flagWords(field.of).map(({ word }) => word),
          )
        : accept(query)
    }
  }
}

function unknownWord(name: FieldName, given: string, choices: readonly string[]): Interpretation {
  const near = likelyNames(given, choices)
  const hint =
    near[0] === undefined ? `Use ${choices.join(', ')}.` : `Did you mean ${name}:${near[0]}?`
  return reject(`"${given}" isn't a value of ${name}:. ${hint}`, near.length > 0 ? near : choices)
}

/** Most words of a phrase; more would make searches slow. */
const MOST_PHRASE_WORDS = 100

function interpretWords(
  within: 'everything' | 'body',
  text: string,
  exact: boolean,
): Interpretation {
  const words = splitWords(text)
  if (words.length === 0)
    return reject(`Nothing to search for in "${text}". Add letters or digits.`)
  if (words.length > MOST_PHRASE_WORDS)
    return reject(
      `Too long: a phrase can have ${MOST_PHRASE_WORDS} words. Use a part of it that is rare.`,
    )
  return accept({
    kind: 'words',
    within,
    phrase: { words, prefix: !exact && !endsUnspaced(words) },
  })
}

function parseJsonTest(item: Item): JsonTest | Mistake {
  const { quoted, text } = item
  if (quoted) return { kind: 'string', text }
  if (text === '*') return { kind: 'present' }
  const bounds = parseBounds(item)
  if (bounds === null) return { kind: 'value', pattern: patternOf(text) }
  if (bounds.length === 0 || bounds.some(({ value }) => value === ''))
    return {
      sentence: `"${text}" is incomplete. Add a number or text to compare with.`,
      suggestions: ['>100', '10..20'],
    }
  const [first, second] = bounds.map(({ value }) => isDecimal(value))
  if (second !== undefined && first !== second)
    return {
      sentence: `The range "${text}" mixes a number and text. Use two numbers or two texts.`,
      suggestions: [],
    }
  return { kind: 'bounds', bounds }
}

export function interpretItem(name: Name, item: Item, context: QueryContext): Interpretation {
  switch (name.kind) {
    case 'field':
      return interpretField(name.field, item, context)
    case 'header':
      return accept({ kind: 'header', name: [name.header], value: patternIn(item) })
    case 'path': {
      const test = parseJsonTest(item)
      return 'sentence' in test
        ? { ok: false, mistake: test }
        : accept({ kind: 'json', path: name.steps, test })
    }
  }
}

/** Returns the query of a value that the parser has already accepted. */
function queryOf(interpretation: Interpretation): Query {
  if (!interpretation.ok) throw new Error(interpretation.mistake.sentence)
  return interpretation.query
}

export function interpretText(text: string, exact: boolean): Interpretation {
  return interpretWords('everything', text, exact)
}

export function interpretExpression(expression: Expression, context: QueryContext): Query {
  switch (expression.kind) {
    case 'all':
      return expression.of.length === 0
        ? EVERYTHING
        : { kind: 'all', of: expression.of.map((part) => interpretExpression(part, context)) }
    case 'any':
      return { kind: 'any', of: expression.of.map((part) => interpretExpression(part, context)) }
    case 'not':
      return { kind: 'not', of: interpretExpression(expression.of, context) }
    case 'words':
      return queryOf(interpretText(expression.text, expression.exact))
    case 'json':
      return { kind: 'contains', json: expression.text }
    case 'term': {
      const [first, ...rest] = expression.items.map((item) =>
        queryOf(interpretItem(expression.name, item, context)),
      )
      return first !== undefined && rest.length === 0
        ? first
        : { kind: 'any', of: first === undefined ? [] : [first, ...rest] }
    }
  }
}
