/**
 * What is written as other languages of search write it, and means something else here: `or` in small letters, `|`, `!`. It is searched
 * for as it stands, since it may well be meant so, and a hint says what would be found otherwise.
 */
import type { Mistake } from './problem.ts'

/** A stroke between two things. */
const STROKE = /[^|]\|+[^|]/

/** What the words do that join terms, where they are written in capitals. */
const JOINERS: Readonly<Record<string, string>> = {
  OR: 'In capitals, OR finds what either side asks for.',
  AND: 'Terms side by side must all hold without it; in capitals, AND says so.',
  NOT: 'In capitals, NOT finds the opposite of what follows.',
}

/** Of a term as it is written, between others: a word that would join them if it were written in capitals; null where it is none. */
export function joinerHint(word: string, hasBefore: boolean, hasAfter: boolean): Mistake | null {
  const joiner = word.toUpperCase()
  if (!Object.hasOwn(JOINERS, joiner) || !hasAfter || (joiner !== 'NOT' && !hasBefore)) return null
  return { sentence: `"${word}" is looked for as a word. ${JOINERS[joiner]}`, suggestions: [joiner] }
}

/** Of free text without quotes; null where it means what it says. */
export function wordsHint(text: string): Mistake | null {
  if (STROKE.test(text)) {
    const either = `(${text.split(/\|+/).join(' OR ')})`
    const sentence = `These words are looked for in a row: "|" only parts them. Either one is found by ${either}`
    return { sentence, suggestions: [either] }
  }
  if (!/^!+[^!]/.test(text)) return null
  const opposite = text.replace(/^!+/, '-')
  return { sentence: `"!" is passed over here. What does not have it is found by ${opposite}`, suggestions: [opposite] }
}

/** The values after a name that strokes part, where they do; the name may stand before each. */
export function strokedValues(name: string, value: string): readonly string[] | null {
  if (!STROKE.test(value)) return null
  return value.split(/\|+/).map((one) => (one.startsWith(name) ? one.slice(name.length) : one))
}
