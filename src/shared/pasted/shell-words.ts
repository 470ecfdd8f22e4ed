/**
 * Splitting of a command into words as POSIX shells, the Windows command prompt or PowerShell
 * would. Runs nothing.
 */
import {
  resultOrRefusal,
  characterOf,
  excerpt,
  latin1Of,
  escapeLetters,
  refuse,
  decodedEscape,
} from './pasted-text.ts'

const CUT_OFF = 'The command is cut off: a quotation mark is missing. Copy it again.'
export const SUBSTITUTION =
  "The command has a variable or substitution, which isn't run. Replace it with its value."
const DOUBLED =
  'The command has doubled quotes ("") beside single quotes, so its shell is unclear. Copy the request as raw HTTP.'

/** Shell state: pattern of its next token, and decoder of an escape. */
type State = readonly [part: RegExp, read: (escape: string) => string]

/** States by their opening quote; outside, an empty one. */
type Shell = Readonly<Record<string, State>>

/** Returns the escaped character; nothing for a line end. */
function escapedCharacter(escape: string): string {
  return escape.endsWith('\n') ? '' : escape.slice(1)
}

function ansiEscape(escape: string): string {
  const octal = /^\\([0-7]+)$/.exec(escape)?.[1]
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
  const text =
    decodedEscape(escape, '\'"?\\') ??
    refuse(
      `The command has an unknown escape (${excerpt(escape)}). Replace it with the character that it stands for.`,
    )
  return /^\\u/i.test(escape) ? latin1Of(text) : text
}

function backtickEscape(escape: string): string {
  const number = /^\$\(\[char\](\w+)/.exec(escape)?.[1]
  const one = escapedCharacter(escape)
  return number === undefined ? (escapeLetters[one] ?? one) : latin1Of(characterOf(Number(number)))
}

const posix: Shell = {
  '': [
    /(?<space>(?:[ \t\r\n]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])+)|(?<quote>\$?'|")|(?<end>[|;&<>])|(?<unread>\$[({\w]|`)|(?<escape>\\(?:[ \t]{0,9}\r?\n|[^]))|[^ \t\r\n'"\\$`|;&<>\xc2\xe2]+|[^]/y,
    escapedCharacter,
  ],
  "'": [/[^']+|'/y, escapedCharacter],
  "$'": [
    /(?<escape>(?:\\u[\da-fA-F]{1,4}|\\U[\da-fA-F]{1,8})+|\\(?:x[\da-fA-F]{1,2}|[0-7]{1,3}|[^]))|[^'\\]+|[^]/y,
    ansiEscape,
  ],
  '"': [/(?<escape>\\(?:\r?\n|["\\$`]))|(?<unread>""|\$[({\w]|`)|[^"\\$`]+|[^]/y, escapedCharacter],
}
/** Windows command prompt. */
const windowsPrompt: Shell = {
  '': [
    /(?<space>(?:[ \t\r\n]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])+)|(?<quote>")|(?<escape>\\")|[^ \t\r\n"\\\xc2\xe2]+|[^]/y,
    escapedCharacter,
  ],
  '"': [/(?<escape>\\["\\]|"")|[^"\\]+|[^]/y, escapedCharacter],
}
/** PowerShell; braces of a hash table are words. */
const powerShell: Shell = {
  '': [
    /(?<space>(?:[ \t\r\n]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])+)|(?<quote>['"])|(?<end>[;|}]|@?\{)|(?<escape>`(?:[ \t]{0,9}\r?\n|[^]))|[^ \t\r\n'"`;{}|@\xc2\xe2]+|[^]/y,
    backtickEscape,
  ],
  "'": [/(?<escape>'')|[^']+|'/y, escapedCharacter],
  '"': [
    /(?<escape>""|\$\(\[char\](?:0x[\da-fA-F]{1,6}|\d{1,7})\)|`(?:\r?\n|[^u]))|(?<unread>\$[({\w]|`u)|[^"`$]+|[^]/y,
    backtickEscape,
  ],
}

/** Splits the first command. Its quotes and line ends show the shell. */
export function splitCommand(command: string): string[] {
  const [, first = ''] = /[ \t\r\n,(=](\^"|\$?'|")/.exec(command) ?? []
  const isProgram = /^\S{0,200}curl\.exe\s/.test(command)
  const isPowerShell =
    /^(?:invoke-|i[wr][mr]\b)/i.test(command) ||
    (first === '"' ? /`[ \t]{0,9}\r?\n|`"/ : /`[ \t]{0,9}\r?\n/).test(command)
  const isPrompt =
    first === '^"' ||
    (!first.endsWith("'") && /\^\r?\n[ \t]{0,99}-/.test(command)) ||
    (isProgram && first === '"')
  if (isPowerShell || (isProgram && !isPrompt))
    return wordsOf(command, powerShell).map((word) => withoutBackslashes(word))
  const words = isPrompt ? DOUBLED : resultOrRefusal(() => wordsOf(command, posix))
  if (typeof words !== 'string') return words
  if (words !== DOUBLED) refuse(words)
  const read = wordsOf(withoutCarets(command), windowsPrompt)
  if (!isPrompt && read.some((word) => /^'|[^:]'$/.test(word))) refuse(DOUBLED)
  return read
}

function wordsOf(text: string, shell: Shell): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  let depth = 0
  for (let at = 0; at < text.length;) {
    const [pattern, read] = shell[quote]!
    pattern.lastIndex = at
    const match = pattern.exec(text)
    const [part = ''] = match ?? []
    const { space: gap, quote: opened, end, escape, unread } = match?.groups ?? {}
    at += part.length
    if (unread !== undefined) refuse(unread === '""' ? DOUBLED : SUBSTITUTION)
    if (quote !== '' && part === quote.at(-1)) quote = ''
    else if (opened !== undefined) {
      quote = opened
      word ??= ''
    } else if (gap === undefined && end === undefined) {
      const content = escape === undefined ? part : read(escape)
      if (content !== '') word = (word ?? '') + content
    } else {
      if (word !== null) words.push(word)
      word = null
      const brace = /[{}]/.exec(end ?? '')?.[0]
      if (brace !== undefined) words.push(brace)
      if (brace !== undefined) depth += brace === '{' ? 1 : -1
      else if (depth === 0 && words.length > 0 && (end !== undefined || part.includes('\n'))) break
    }
  }
  if (quote !== '') refuse(CUT_OFF)
  return word === null ? words : [...words, word]
}

/** Removes the command prompt's escapes. */
function withoutCarets(command: string): string {
  const lines = command.replaceAll(/\^[ \t\xc2\xa0]{0,9}\r?\n(\r?\n)?/g, (_, second?: string) =>
    second === undefined ? ' ' : '\n',
  )
  return /\^["\\{&%]/.test(command) ? lines.replaceAll(/\^([^])/g, '$1') : lines
}

/** Removes backslashes that PowerShell before 7.3 needs. */
function withoutBackslashes(word: string): string {
  return word.includes('\\"') && !/(?<!\\)"/.test(word) ? word.replaceAll('\\"', '"') : word
}
