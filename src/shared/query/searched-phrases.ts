/** The words that a query searches for, and their places in a text. */
import type { Expression } from './expression.ts'
import { parseQuery } from './parse.ts'
import { endsUnspaced, type SearchPhrase, splitWords } from './search-words.ts'

/** Returns the phrases of a valid query, without excluded ones. */
export function searchedPhrases(query: string): SearchPhrase[] {
  return phrasesIn(parseQuery(query))
}

function phrasesIn(expression: Expression): SearchPhrase[] {
  switch (expression.kind) {
    case 'all':
    case 'any':
      return expression.of.flatMap(phrasesIn)
    case 'words':
      return phraseOf(expression.text, expression.exact)
    case 'term': {
      const { name, items } = expression
      const isBody = name.kind === 'field' && name.field === 'body'
      return isBody ? items.flatMap(({ text, quoted }) => phraseOf(text, quoted)) : []
    }
    default:
      return []
  }
}

function phraseOf(text: string, exact: boolean): SearchPhrase[] {
  const words = splitWords(text)
  return words.length === 0 ? [] : [{ words, prefix: !exact && !endsUnspaced(words) }]
}

interface Place {
  readonly start: number
  readonly end: number
}

/** Letters and digits with their marks, which fold into one or more words. */
const TOKEN = /[\p{L}\p{N}\p{M}]+/gu

/** Returns the places of the phrases in a text, in order of each phrase. */
export function placesOfPhrases(text: string, phrases: readonly SearchPhrase[]): Place[] {
  if (phrases.length === 0) return []
  const all = [...text.matchAll(TOKEN)].flatMap(({ 0: token, index }) =>
    splitWords(token).map((word) => ({ word, start: index, end: index + token.length })),
  )
  return phrases.flatMap(({ words, prefix }) => {
    const last = words.length - 1
    return all.flatMap(({ start }, at) => {
      const end = all[at + last]?.end
      const isMatch = words.every((word, offset) => {
        const candidate = all[at + offset]?.word ?? ''
        return prefix && offset === last ? candidate.startsWith(word) : candidate === word
      })
      return isMatch && end !== undefined ? [{ start, end }] : []
    })
  })
}
