/** Splits a copied command into words as its shell would: POSIX shells, the Windows command prompt, PowerShell. Runs nothing. */
import { excerpt, latin1Of } from './pasted-text.ts'

/** The words of a command's first line, or a sentence if only its shell could tell them. */
export type Words = string[] | string

const CUT_OFF = 'The command is cut off: a quotation mark is missing. Copy it again.'
export const SUBSTITUTION =
  "The command has a variable or substitution, which isn't run. Replace it with its value."
const DOUBLED =
  'The command has doubled quotes ("") beside single quotes, so its shell is unclear. Copy the request as raw HTTP.'
const unknownEscape = (escape: string) =>
  `The command has an unknown escape (${excerpt(escape)}). Replace it with the character that it stands for.`

/** Splits a command. What quotes it first, and how its lines continue, shows its shell. */
export function splitCommand(command: string): Words {
  const [, first = ''] = /[ \t\r\n,(=](\^"|\$?'|")/.exec(command) ?? []
  const isPowerShell =
    /^(?:invoke-|i[wr][mr]\b)/i.test(command) ||
    (first === '"' ? /`[ \t]{0,9}\r?\n|`"/ : /`[ \t]{0,9}\r?\n/).test(command)
  if (isPowerShell) return powerShellWords(command)
  const isPrompt = first === '^"' || (!first.endsWith("'") && /\^\r?\n[ \t]{0,99}-/.test(command))
  if (isPrompt) return promptWords(command, hasCarets(command))
  const isProgram = /^\S{0,200}curl\.exe\s/.test(command)
  if (isProgram && first !== '"') return powerShellWords(command)
  if (isProgram) return promptWords(command, hasCarets(command))
  const words = posixWords(command)
  if (words !== DOUBLED) return words
  const read = promptWords(command, hasCarets(command))
  return typeof read !== 'string' && read.some((word) => /^'|[^:]'$/.test(word)) ? DOUBLED : read
}

const hasCarets = (command: string) => /\^["\\{&%]/.test(command)

/** The next part of a command: text, spaces, an escape, or the beginning of a quote or substitution. */
const PART =
  /([^ \t\r\n'"\\$`|;&<>\xc2\xe2]+)|((?:[ \t\r\n]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])+)|\\(?:\r?\n|[^])|\$['({\w]|[^]/y

function posixWords(text: string): Words {
  const words: string[] = []
  let word: string | null = null
  let at = 0
  const add = (more: string) => (word = (word ?? '') + more)
  while (at < text.length) {
    PART.lastIndex = at
    const [part = '', plain, spaces] = PART.exec(text) ?? []
    at += part.length
    if (plain !== undefined) add(plain)
    else if (spaces !== undefined) {
      if (word !== null) words.push(word)
      word = null
      if (words.length > 0 && part.includes('\n')) break
    } else if (part === "'" || part === "$'" || part === '"') {
      const mark = part.at(-1) ?? ''
      const end = part === "'" ? text.indexOf(mark, at) : closing(text, at, mark)
      if (end === -1) return CUT_OFF
      const inside = text.slice(at, end)
      at = end + 1
      if (part === "'") add(inside)
      else if (part === '"') {
        if (text[at] === '"' && (inside !== '' || word !== null)) return DOUBLED
        if (/(?<!\\)(?:`|\$[({\w])/.test(inside)) return SUBSTITUTION
        add(inside.replaceAll(/\\(\r?\n|["\\$`])/g, (_, one: string) => one.trim()))
      } else {
        const unescaped = ansi(inside)
        if (unescaped === null) return unknownEscape(UNKNOWN_ESCAPE.exec(inside)?.[0] ?? '\\')
        add(unescaped)
      }
    } else if (part.startsWith('\\')) {
      if (!part.endsWith('\n')) add(part.slice(1))
    } else if (/^[`$]./.test(part) || part === '`') return SUBSTITUTION
    else if (/[|;&<>]/.test(part)) break
    else add(part)
  }
  return word === null ? words : [...words, word]
}

/** Finds the end of quotes with escapes; -1 if there is none. */
function closing(text: string, from: number, mark: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === mark) return at
  }
  return -1
}

const letters: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
}
const ESCAPE =
  /((?:\\u[\da-fA-F]{1,4}|\\U[\da-fA-F]{1,8})+)|\\(?:x([\da-fA-F]{1,2})|([0-7]{1,3})|([^]))/g
/** An escape in `$'…'` that shells read differently. */
const UNKNOWN_ESCAPE = /(?<!\\)(?:\\\\)*\\[^ntrbfvaeE'"?\\xuU0-7]/

/** Returns the text of `$'…'`, with octal, hexadecimal and Unicode escapes; null if one is unknown. */
function ansi(text: string): string | null {
  let isKnown = true
  const plain = text.replaceAll(
    ESCAPE,
    (_, units?: string, hex?: string, octal?: string, one = '') => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
      if (units === undefined) {
        const letter = letters[one.toLowerCase() === 'e' ? 'e' : one]
        isKnown &&= letter !== undefined || '\'"?\\'.includes(one)
        return letter ?? one
      }
      // Together, because two may be one character.
      const codes = units.split(/\\u/i).slice(1)
      return latin1Of(codes.map((code) => characterOf(Number.parseInt(code, 16))).join(''))
    },
  )
  return isKnown ? plain : null
}

const characterOf = (point: number) => (point > 0x10ffff ? '' : String.fromCodePoint(point))

const OUTSIDE = /[^\s"\\]+|\s+|\\"|["\\]/y
const INSIDE = /[^"\\]+|\\["\\]|""|["\\]/y

/** Splits a command for the Windows command prompt: `""` or `\"` is a quote inside quotes, `^` escapes. */
function promptWords(text: string, areEscaped: boolean): Words {
  const lines = text.replaceAll(/\^\r?\n\r?\n/g, '\n')
  const plain = areEscaped
    ? lines.replaceAll(/\^(\r?\n|[^])/g, (_, one: string) => (one.trim() === '' ? ' ' : one))
    : lines.replaceAll(/\^\r?\n/g, ' ')
  const words: string[] = []
  let word: string | null = null
  let isInside = false
  for (let at = 0; at < plain.length;) {
    const pattern = isInside ? INSIDE : OUTSIDE
    pattern.lastIndex = at
    const [part = ''] = pattern.exec(plain) ?? []
    at += part.length
    if (part === '"') {
      isInside = !isInside
      word ??= ''
    } else if (!isInside && part.trim() === '') {
      if (word !== null) words.push(word)
      word = null
      if (words.length > 0 && part.includes('\n')) break
    } else {
      const isEscaped = part === '\\"' || (isInside && (part === '""' || part === '\\\\'))
      word = (word ?? '') + (isEscaped ? part.slice(1) : part)
    }
  }
  if (isInside) return CUT_OFF
  return word === null ? words : [...words, word]
}

/** The next part of a PowerShell command. Braces and semicolons of a hash table are words. */
const POWER_PART =
  /([^ \t\r\n'"`;{}|\xc2\xe2]+)|((?:[ \t\r\n]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])+)|`(?:\r?\n|[^])|[^]/y
/** A doubled quote, an escape, a character by its number, or a variable, between double quotes. */
const POWER_ESCAPE =
  /""|`u\{([\da-f]{1,6})\}|`(\r?\n|[^])|\$\(\[char\](0x[\da-f]{1,6}|\d{1,7})\)|(\$[({\w])/gi

function powerShellWords(text: string): Words {
  const words: string[] = []
  let word: string | null = null
  let depth = 0
  const add = (more: string) => (word = (word ?? '') + more)
  const end = () => {
    if (word !== null) words.push(bareQuotes(word))
    word = null
  }
  for (let at = 0; at < text.length;) {
    POWER_PART.lastIndex = at
    const [part = '', plain, spaces] = POWER_PART.exec(text) ?? []
    at += part.length
    if (plain !== undefined && plain !== '@') add(plain)
    else if (spaces !== undefined) {
      end()
      if (depth === 0 && words.length > 0 && part.includes('\n')) break
    } else if (part === "'" || part === '"') {
      const until = closingDoubled(text, at, part)
      if (until === -1) return CUT_OFF
      const inside = text.slice(at, until)
      at = until + 1
      const read = part === "'" ? inside.replaceAll("''", "'") : powerText(inside)
      if (read === null) return SUBSTITUTION
      add(read)
    } else if (part.startsWith('`')) {
      if (part.trimEnd() !== '`') add(part.slice(1))
    } else if (part === ';' || part === '|') {
      end()
      if (depth === 0) break
    } else if (part === '{' || part === '}' || part === '@') {
      end()
      depth += part === '{' ? 1 : part === '}' ? -1 : 0
      if (part !== '@') words.push(part)
    } else add(part)
  }
  end()
  return words
}

/** Finds the end of PowerShell's quotes: a doubled one doesn't, nor an escaped one between double quotes. */
function closingDoubled(text: string, from: number, mark: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '`' && mark === '"') at++
    else if (text[at] === mark && text[at + 1] === mark) at++
    else if (text[at] === mark) return at
  }
  return -1
}

function powerText(text: string): string | null {
  let isPlain = true
  const read = text.replaceAll(
    POWER_ESCAPE,
    (_, point?: string, escaped?: string, number?: string, variable?: string) => {
      isPlain &&= variable === undefined
      if (point !== undefined) return latin1Of(characterOf(Number.parseInt(point, 16)))
      if (number !== undefined) return latin1Of(characterOf(Number(number)))
      if (escaped !== undefined)
        return escaped === '0' ? '\0' : escaped.endsWith('\n') ? '' : (letters[escaped] ?? escaped)
      return '"'
    },
  )
  return isPlain ? read : null
}

/** PowerShell before 7.3 needs `\"` for a quote of a program's argument. */
function bareQuotes(word: string): string {
  return word.includes('\\"') && !/(?<!\\)"/.test(word) ? word.replaceAll('\\"', '"') : word
}
