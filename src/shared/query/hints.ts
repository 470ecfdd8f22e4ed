/**
 * Hints about syntax from other search languages that means something else here: lowercase `or`, `status>=400`. It is
 * searched literally, because that may be intended; the hint shows the likely alternative.
 */
import { compareDecimals, isDecimal } from './decimal.ts'
import { itemMeaning } from './meaning.ts'
import { readName } from './names.ts'
import type { Mistake } from './problem.ts'

/** Explanations for operators that work only in capitals. */
const JOINERS: Readonly<Record<string, string>> = {
  OR: 'To match either side, use OR in capitals.',
  AND: 'Terms next to each other must all match anyway; write AND in capitals.',
  NOT: 'To exclude what follows, use NOT in capitals.',
}

/** A hint for a term between others that would be an operator in capitals; null for any other term. */
export function joinerHint(word: string, hasBefore: boolean, hasAfter: boolean): Mistake | null {
  const joiner = word.toUpperCase()
  if (!Object.hasOwn(JOINERS, joiner) || !hasAfter || (joiner !== 'NOT' && !hasBefore)) return null
  return { sentence: `"${word}" is searched as a word. ${JOINERS[joiner]}`, suggestions: [joiner] }
}

/** A name and a value with a sign other than a colon between them. */
const COMPARED = /^([\p{L}_$](?:[\p{L}\p{N}_.$-]*[\p{L}\p{N}_])?)([!=<>]?=|==|[<>])([^=<>].*)$/u

/** Equivalents of foreign signs: text before the name and before the value. */
const SIGNS: Readonly<Record<string, readonly [string, string]>> = {
  '=': ['', ''],
  '==': ['', ''],
  '!=': ['-', ''],
  '<': ['', '<'],
  '<=': ['', '<='],
  '>': ['', '>'],
  '>=': ['', '>='],
}

/** A hint for unquoted text that is a comparison in another language's syntax; null if it has no equivalent here. */
export function comparedHint(text: string): Mistake | null {
  const [, name, sign = '', value = ''] = COMPARED.exec(text) ?? []
  const around = SIGNS[sign]
  if (name === undefined || around === undefined) return null
  const read = readName(`${name}:`, 0)
  const meant = read?.kind === 'mistake' ? read.mistake.suggestions[0] : `${name}:`
  const found = meant === undefined ? null : readName(meant, 0)
  if (found?.kind !== 'name') return null
  const [not, before] = around
  const values = value.split(',').map((one) => before + one)
  if (
    !values.every(
      (one) => itemMeaning(found.name, { quoted: false, text: one }, { now: 0, hooks: [] }).ok,
    )
  )
    return null
  const instead = `${not}${meant}${values.join(',')}`
  return {
    sentence: `"${text}" is searched as text. To search a field, use a colon: ${instead}`,
    suggestions: [instead],
  }
}

/** A hint for a range whose end comes before its beginning, so that nothing matches; null for any other value. */
export function backwardsHint(value: string): Mistake | null {
  const [, from, to] = /^(.+?)\.\.(.+)$/.exec(value) ?? []
  if (from === undefined || to === undefined) return null
  const isBackwards =
    isDecimal(from) && isDecimal(to)
      ? compareDecimals(from, to) > 0
      : /^\d{4}-/.test(to) && from > to && !from.startsWith(to)
  if (!isBackwards) return null
  const turned = `${to}..${from}`
  return {
    sentence: `This range ends before it begins, so nothing matches. Reverse it: ${turned}`,
    suggestions: [turned],
  }
}
