/** Text that mails, chats, wikis and terminals put around a request. */
import { headerOf, isRequestLine } from './pasted-head.ts'
import { byteTextOfBase64 } from '../text/byte-text.ts'
import { trimSpaces } from './byte-spaces.ts'

export interface CandidateText {
  readonly text: string
  /** Whether the whole copied text is the request. */
  readonly isUntouched: boolean
}

/** Blocks of Markdown read from one text. */
const MOST_BLOCKS = 16

/** Returns the texts that may be the request, likeliest first. */
export function likelyTexts(text: string): CandidateText[] {
  const mail = mailText(text)
  const blocks = fencedBlocks(mail)
  const [first, second] = blocks
  // Head and body may be in two blocks.
  const isSplit =
    first !== undefined && /^\s*[[{]/.test(second ?? '') && !/\n[ \t]*\r?\n/.test(first)
  const parts = isSplit ? [`${first}\n\n${second}`] : blocks.length > 0 ? blocks : [mail]
  return parts.map((part) => {
    const plain = withoutMarks(part)
    return {
      text: plain.slice(plain.lastIndexOf('\n', plain.search(/\S/)) + 1),
      isUntouched: plain === text,
    }
  })
}

/** `Content-Transfer-Encoding: base64`, up to 20 further headers, an empty line, and the text. */
const BASE64_MAIL =
  /^Content-Transfer-Encoding:[ \t]*base64[ \t]*\r?\n(?:[^\r\n]+\r?\n){0,20}\r?\n([A-Za-z0-9+/=\r\n]+)/im
/** Characters of a mail that are searched for its encoding. */
const MOST_MAIL = 1_000_000

/** Decodes a mail in quoted-printable or Base64. */
function mailText(text: string): string {
  const [, encoded] = BASE64_MAIL.exec(text.slice(0, MOST_MAIL)) ?? []
  const decoded = encoded === undefined ? null : byteTextOfBase64(encoded)
  if (decoded !== null) return decoded
  // Base64 signatures end in `=`, which quoted-printable writes as `=3D`.
  const isQuotedPrintable =
    text.includes('=3D') && !/=(?![\dA-F]{2}|[ \t]{0,9}\r?(?:\n|$))/.test(text)
  return isQuotedPrintable
    ? text
        .replaceAll(/=[ \t]{0,9}\r?\n/g, '')
        .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        )
    : text
}

function fencedBlocks(text: string): string[] {
  return text
    .split(/^[ \t]{0,9}(?:```|~~~)[^\n]*\n?/m, 2 * MOST_BLOCKS + 1)
    .filter((block, index) => index % 2 === 1 && block.trim() !== '')
    .map((block) => block.replace(/\r?\n$/, ''))
}

/** Removes a mail's quotation marks, or the container's name in a log. */
function withoutMarks(text: string): string {
  // Every line with text begins with a mark.
  const isQuoted = (part: string) => !/(?<![^\n])(?!>)[^\S\n]*\S/.test(part)
  let plain = text
  for (let depth = 0; depth < 9 && plain.includes('>') && isQuoted(plain); depth++)
    plain = plain.replaceAll(/^> ?/gm, '')
  // The mail's own text has no request, but quotes two or more lines.
  const quoted = /(?:^>[^\n]*(?:\n|$)){2,}/m.exec(plain)?.[0]
  if (quoted !== undefined && findStart(plain) === null) return withoutMarks(quoted)
  // `web-1 | ` before each line, as Docker Compose prints it.
  const [container] = /^[\w.-]{1,60} *\| ?/.exec(plain) ?? []
  if (container === undefined) return plain
  const lines = plain.split('\n')
  const mark = container.trimEnd()
  return lines.every((line) => line.trim() === '' || line.startsWith(mark))
    ? lines.map((line) => line.slice(container.length)).join('\n')
    : plain
}

/** Program name, also behind a prompt or the `+` of `set -x`: `me@host ~ $ curl`. */
const COMMAND =
  /^[ \t]{0,99}(?:[^\n'"{]{0,120}(?:[$#%>+]|\xe2[\x9c-\x9f][\x80-\xbf])[ \t]*|\xe2\x9e\x9c[ \t]+\S+[ \t]+)?([\w./\\:-]*curl(?:\.exe)?(?=\s|\xc2\xa0)|(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm)\s)/i

interface RequestStart {
  readonly kind: 'command' | 'http' | 'json'
  readonly at: number
}

/** Characters before a request that are searched. */
const MOST_PROSE = 65_536
const MOST_LINE = 4_096

/** Finds the start of the request; null if no line shows it. */
export function findStart(text: string): RequestStart | null {
  /** Start of the current lines that look like headers. */
  let block = 0
  for (let at = 0; at < Math.min(text.length, MOST_PROSE);) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next
    const line = text.slice(at, Math.min(end, at + MOST_LINE))
    const command = COMMAND.exec(line)
    if (command !== null) {
      const name = command[1] ?? ''
      return { kind: 'command', at: at + command[0].length - name.length }
    }
    if (isRequestLine(line)) return { kind: 'http', at }
    if (block === at && /^\s*[[{]/.test(line) && text.slice(0, at).trim() === '')
      if (headerOf(line) === null) return { kind: 'json', at }
    const header = headerOf(line)
    if (header !== null && /[-_]signature$/i.test(header[0])) return { kind: 'http', at: block }
    if (trimSpaces(line) === '' || (header === null && !/^[ \t]/.test(line))) block = end + 1
    at = end + 1
  }
  return null
}

/** Removes the prompts before further lines. */
export function withoutPrompts(command: string): string {
  return command.replaceAll(/([\\^`]\r?\n)>{1,2} ?/g, '$1')
}
