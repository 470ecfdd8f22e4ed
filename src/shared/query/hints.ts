/**
 * What is written as other languages of search write it, and means something else here: `or` in small letters, `|`, `!`,
 * `status>=400`. It is searched for as it stands, since it may well be meant so, and a hint says what would be found otherwise.
 */
import { compareDecimals, isDecimal } from './decimal.ts'
import { itemMeaning } from './meaning.ts'
import { readName } from './names.ts'
import type { Mistake } from './problem.ts'

/** A stroke between two things. */
const STROKE = /[^|]\|+[^|]/

/** What the words do that join terms, where they are written in capitals. */
const JOINERS: Readonly<Record<string, string>> = {
  OR: 'In capitals, OR finds what either side asks for.',
  AND: 'Terms side by side must all hold without it; in capitals, AND says so.',
  NOT: 'In capitals, NOT finds the opposite of what follows.',
}

/**
 * Of a term as it is written, between others: a word that would join them if it were written in capitals; null where it is none.
 */
export function joinerHint(word: string, hasBefore: boolean, hasAfter: boolean): Mistake | null {
  const joiner = word.toUpperCase()
  if (!Object.hasOwn(JOINERS, joiner) || !hasAfter || (joiner !== 'NOT' && !hasBefore)) return null
  return { sentence: `"${word}" is looked for as a word. ${JOINERS[joiner]}`, suggestions: [joiner] }
}

/** A name and a value with another sign than a colon between them. */
const COMPARED = /^([\p{L}_$](?:[\p{L}\p{N}_.$-]*[\p{L}\p{N}_])?)([!=*^$~<>]?=|==|[<>~])([^=<>~].*)$/u

/** How a sign of another language is written here: what stands before the name, before the value and behind it. */
const SIGNS: Readonly<Record<string, readonly [string, string, string]>> = {
  '=': ['', '', ''],
  '==': ['', '', ''],
  '!=': ['-', '', ''],
  '<': ['', '<', ''],
  '<=': ['', '<=', ''],
  '>': ['', '>', ''],
  '>=': ['', '>=', ''],
  '~': ['', '*', '*'],
  '~=': ['', '*', '*'],
  '*=': ['', '*', '*'],
  '^=': ['', '', '*'],
  '$=': ['', '*', ''],
}

/** A comparison written as in other languages; null where it is none that could be asked here. */
function comparedHint(text: string): Mistake | null {
  const [, name, sign = '', value = ''] = COMPARED.exec(text) ?? []
  const around = SIGNS[sign]
  if (name === undefined || around === undefined) return null
  const read = readName(`${name}:`, 0)
  const meant = read?.kind === 'mistake' ? read.mistake.suggestions[0] : `${name}:`
  const found = meant === undefined ? null : readName(meant, 0)
  if (found?.kind !== 'name') return null
  const [not, before, behind] = around
  const values = value.split(',').map((one) => before + one + behind)
  if (!values.every((one) => itemMeaning(found.name, { quoted: false, text: one }, { now: 0, hooks: [] }).ok)) return null
  const instead = `${not}${meant}${values.join(',')}`
  return { sentence: `"${text}" is looked for as text. A field is asked with a colon: ${instead}`, suggestions: [instead] }
}

/** Of a range whose end lies before its beginning, in which nothing lies; null of any other value. */
export function backwardsHint(value: string): Mistake | null {
  const [, from, to] = /^(.+?)\.\.(.+)$/.exec(value) ?? []
  if (from === undefined || to === undefined) return null
  const isBackwards =
    isDecimal(from) && isDecimal(to) ? compareDecimals(from, to) > 0 : /^\d{4}-/.test(to) && from > to && !from.startsWith(to)
  if (!isBackwards) return null
  const turned = `${to}..${from}`
  return {
    sentence: `This range ends before it begins, so nothing lies in it. The other way round it is ${turned}`,
    suggestions: [turned],
  }
}

/** Of free text without quotes; null where it means what it says. */
export function wordsHint(text: string): Mistake | null {
  if (STROKE.test(text)) {
    const either = `(${text.split(/\|+/).join(' OR ')})`
    const sentence = `These words are looked for in a row: "|" only parts them. Either one is found by ${either}`
    return { sentence, suggestions: [either] }
  }
  const compared = comparedHint(text)
  if (compared !== null) return compared
  if (!/^!+[^!]/.test(text)) return null
  const opposite = text.replace(/^!+/, '-')
  return { sentence: `"!" is passed over here. What does not have it is found by ${opposite}`, suggestions: [opposite] }
}

/** The values after a name that strokes part, where they do; the name may stand before each. */
export function strokedValues(name: string, value: string): readonly string[] | null {
  if (!STROKE.test(value)) return null
  return value.split(/\|+/).map((one) => (one.startsWith(name) ? one.slice(name.length) : one))
}
