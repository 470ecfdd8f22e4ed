/**
 * Splitting of a command into words as POSIX shells, the Windows command prompt or PowerShell
 * would. Tokens are matched one after the other, by the pattern of the quotation that they are in;
 * nothing is run.
 */
import { encodeByteText } from '../text/byte-text.ts'
import { characterOf, decodeEscape, escapeLetters } from './escape-sequences.ts'
import { excerpt, refuse, resultOrRefusal } from './pasted-result.ts'

const CUT_OFF = 'The command is cut off: a quotation mark is missing. Copy it again.'
export const SUBSTITUTION =
  "The command has a variable or substitution, which isn't run. Replace it with its value."
const DOUBLED =
  'The command has doubled quotes ("") beside single quotes, so its shell is unclear. Copy the request as raw HTTP.'

interface QuotationRules {
  /**
   * Next token. Groups: `space` and `end` end a word, `quote` opens a quotation, `escape` is
   * decoded, `unsupported` is refused.
   */
  readonly token: RegExp
  readonly decode: (escape: string) => string
}

/** Rules by the open quote; '' outside of quotations. */
type Shell = Readonly<Record<string, QuotationRules>>

/** Joins alternatives to a pattern of the next token; the last matches one other character. */
function tokenOf(...alternatives: readonly RegExp[]): RegExp {
  return new RegExp([...alternatives, /[^]/].map(({ source }) => source).join('|'), 'y')
}

const SPACES = /(?<space>(?:[ \t\r\n]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])+)/

/** Returns the escaped character; nothing for a line end. */
function escapedCharacter(escape: string): string {
  return escape.endsWith('\n') ? '' : escape.slice(1)
}

/** Decodes an escape of `$'…'`. */
function ansiEscape(escape: string): string {
  const octal = /^\\([0-7]+)$/.exec(escape)?.[1]
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
  const text =
    decodeEscape(escape, '\'"?\\') ??
    refuse(
      `The command has an unknown escape (${excerpt(escape)}). Replace it with the character that it stands for.`,
    )
  return /^\\u/i.test(escape) ? encodeByteText(text) : text
}

/** Decodes PowerShell's `` `n `` or `$([char]0x41)`. */
function backtickEscape(escape: string): string {
  const code = /^\$\(\[char\](\w+)/.exec(escape)?.[1]
  const letter = escapedCharacter(escape)
  return code === undefined
    ? (escapeLetters[letter] ?? letter)
    : encodeByteText(characterOf(Number(code)))
}

const posix: Shell = {
  '': {
    token: tokenOf(
      SPACES,
      /(?<quote>\$?'|")/,
      /(?<end>[|;&<>])/,
      // `$(date)`, `$HOME`
      /(?<unsupported>\$[({\w]|`)/,
      // `\"`, or a continued line
      /(?<escape>\\(?:[ \t]{0,9}\r?\n|[^]))/,
      /[^ \t\r\n'"\\$`|;&<>\xc2\xe2]+/,
    ),
    decode: escapedCharacter,
  },
  "'": { token: /[^']+|'/y, decode: escapedCharacter },
  "$'": {
    token: tokenOf(
      // `\u0041`, `\U0001f600`, `\x41`, `\101`, `\n`
      /(?<escape>(?:\\u[\da-fA-F]{1,4}|\\U[\da-fA-F]{1,8})+|\\(?:x[\da-fA-F]{1,2}|[0-7]{1,3}|[^]))/,
      /[^'\\]+/,
    ),
    decode: ansiEscape,
  },
  '"': {
    token: tokenOf(/(?<escape>\\(?:\r?\n|["\\$`]))/, /(?<unsupported>""|\$[({\w]|`)/, /[^"\\$`]+/),
    decode: escapedCharacter,
  },
}
/** Windows command prompt. */
const windowsPrompt: Shell = {
  '': {
    token: tokenOf(SPACES, /(?<quote>")/, /(?<escape>\\")/, /[^ \t\r\n"\\\xc2\xe2]+/),
    decode: escapedCharacter,
  },
  '"': { token: tokenOf(/(?<escape>\\["\\]|"")/, /[^"\\]+/), decode: escapedCharacter },
}
/** PowerShell; braces of a hash table are words. */
const powerShell: Shell = {
  '': {
    token: tokenOf(
      SPACES,
      /(?<quote>['"])/,
      /(?<end>[;|}]|@?\{)/,
      // `` `" ``, or a continued line
      /(?<escape>`(?:[ \t]{0,9}\r?\n|[^]))/,
      /[^ \t\r\n'"`;{}|@\xc2\xe2]+/,
    ),
    decode: backtickEscape,
  },
  "'": { token: /(?<escape>'')|[^']+|'/y, decode: escapedCharacter },
  '"': {
    token: tokenOf(
      // `""`, `$([char]0x41)`, `` `n ``
      /(?<escape>""|\$\(\[char\](?:0x[\da-fA-F]{1,6}|\d{1,7})\)|`(?:\r?\n|[^u]))/,
      /(?<unsupported>\$[({\w]|`u)/,
      /[^"`$]+/,
    ),
    decode: backtickEscape,
  },
}

/** Splits the first command. Its quotes and line ends show the shell. */
export function splitCommand(command: string): string[] {
  const [, firstQuote = ''] = /[ \t\r\n,(=](\^"|\$?'|")/.exec(command) ?? []
  const isWindowsProgram = /^\S{0,200}curl\.exe\s/.test(command)
  const isPowerShell =
    /^(?:invoke-|i[wr][mr]\b)/i.test(command) ||
    (firstQuote === '"' ? /`[ \t]{0,9}\r?\n|`"/ : /`[ \t]{0,9}\r?\n/).test(command)
  const isPrompt =
    firstQuote === '^"' ||
    (!firstQuote.endsWith("'") && /\^\r?\n[ \t]{0,99}-/.test(command)) ||
    (isWindowsProgram && firstQuote === '"')
  if (isPowerShell || (isWindowsProgram && !isPrompt))
    return wordsOf(command, powerShell).map((word) => withoutBackslashes(word))
  if (!isPrompt) {
    const words = resultOrRefusal(() => wordsOf(command, posix))
    if (typeof words !== 'string') return words
    if (words !== DOUBLED) refuse(words)
  }
  const words = wordsOf(withoutCarets(command), windowsPrompt)
  if (!isPrompt && words.some((word) => /^'|[^:]'$/.test(word))) refuse(DOUBLED)
  return words
}

function wordsOf(text: string, shell: Shell): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  let depth = 0
  for (let at = 0; at < text.length;) {
    const { token, decode } = shell[quote]!
    token.lastIndex = at
    const match = token.exec(text)
    const [part = ''] = match ?? []
    const { space, quote: openedQuote, end, escape, unsupported } = match?.groups ?? {}
    at += part.length
    if (unsupported !== undefined) refuse(unsupported === '""' ? DOUBLED : SUBSTITUTION)
    if (quote !== '' && part === quote.at(-1)) quote = ''
    else if (openedQuote !== undefined) {
      quote = openedQuote
      word ??= ''
    } else if (space === undefined && end === undefined) {
      const content = escape === undefined ? part : decode(escape)
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

/** Removes the command prompt's escapes: `^"`, and `^` at the end of a line. */
function withoutCarets(command: string): string {
  const lines = command.replaceAll(/\^[ \t\xc2\xa0]{0,9}\r?\n(\r?\n)?/g, (_, second?: string) =>
    second === undefined ? ' ' : '\n',
  )
  return /\^["\\{&%]/.test(command) ? lines.replaceAll(/\^([^])/g, '$1') : lines
}

/** Removes backslashes before all quotes, which PowerShell before 7.3 needs. */
function withoutBackslashes(word: string): string {
  return word.includes('\\"') && !/(?<!\\)"/.test(word) ? word.replaceAll('\\"', '"') : word
}
