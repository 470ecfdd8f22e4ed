/**
 * Reader of copied requests in any form, even in a mail. Nothing is executed or opened; what isn't
 * understood is refused.
 */
import { byteTextOf, decodeByteText, encodeByteText } from '../text/byte-text.ts'
import { MOST_VARIED_BYTES } from './pasted-body.ts'
import { readCommand } from './pasted-curl.ts'
import { NOTHING_FOUND, readHttp, readHttpFile } from './pasted-http.ts'
import { readJsonText } from './pasted-json.ts'
import { readLog } from './pasted-log.ts'
import {
  resultOrRefusal,
  isSigned,
  type Pasted,
  type PastedRequest,
  refuse,
} from './pasted-result.ts'
import { findStart, type CandidateText, likelyTexts, withoutPrompts } from './pasted-wrapping.ts'

export const MOST_PASTED_BYTES = 24 * 1_048_576

export function readPasted(bytes: Uint8Array): Pasted {
  if (bytes.length > MOST_PASTED_BYTES)
    return { refused: 'The text is larger than 24 MiB. Paste one request, or a shorter HAR file.' }
  const candidates = likelyTexts(byteTextInUtf8(bytes))
  if (candidates.every(({ text }) => text.trim() === ''))
    return { refused: 'The text is empty. Add a request.' }
  let refused = NOTHING_FOUND
  for (const candidate of candidates) {
    const requests = resultOrRefusal(() => readCandidate(candidate))
    if (typeof requests !== 'string') return keepSigned(requests)
    if (refused === NOTHING_FOUND) refused = requests
  }
  return { refused }
}

/** Converts UTF-16, which begins with a byte order mark, and removes that of UTF-8. */
function byteTextInUtf8(bytes: Uint8Array): string {
  const [first, second] = bytes
  const decode = (encoding: string) => encodeByteText(new TextDecoder(encoding).decode(bytes))
  if (first === 0xff && second === 0xfe) return decode('utf-16le')
  if (first === 0xfe && second === 0xff) return decode('utf-16be')
  return byteTextOf(bytes).replace(/^\xef\xbb\xbf/, '')
}

/** Keeps signed requests, if any: a browser's HAR has many others. */
function keepSigned(requests: readonly PastedRequest[]): Pasted {
  const signed = requests.filter(({ headers }) => isSigned(headers))
  return signed.length === 0
    ? { requests, skipped: 0 }
    : { requests: signed, skipped: requests.length - signed.length }
}

/** Texts that are recognized, but refused. */
const unsupported: readonly { readonly pattern: RegExp; readonly refusal: string }[] = [
  {
    pattern: /^\s*(?:await\s+)?fetch\(/,
    refusal: 'This is program code. In the browser, choose "Copy as cURL" instead.',
  },
  {
    pattern: /^type: collection\.insomnia\.rest/,
    refusal:
      "Insomnia's YAML isn't read. Export as Insomnia 4 (JSON), or copy the request as cURL.",
  },
]

function readCandidate({ text, isUntouched }: CandidateText): readonly PastedRequest[] {
  const file = readHttpFile(text)
  if (file !== null) return file
  const start = findStart(text)
  if (start?.kind === 'command') return [readCommand(withoutPrompts(text.slice(start.at)))]
  if (start?.kind === 'http')
    return [readHttp(text.slice(start.at), { isUntouched: isUntouched && start.at === 0 })]
  for (const { pattern, refusal } of unsupported) if (pattern.test(text)) refuse(refusal)
  const json = start === null ? null : readJsonText(decodeByteText(text))
  if (json?.length === 0)
    refuse('This is a body without headers. Paste the headers, an empty line, then the body.')
  const requests = json ?? readLog(text)
  if (requests !== null) return requests
  if (start === null) return [readHttp(text, { isUntouched })]
  return refuse(
    /^\s*\{\s*"log"/.test(text)
      ? "The HAR file is cut off or changed: it isn't valid JSON. Save it again."
      : "This JSON can't be read as a request. Paste its headers too, an empty line, then the body.",
  )
}

/** Returns the input of `exchange.verify`; a large body has no variants. */
export function verifyInput({ note: _, bodies, ...request }: PastedRequest) {
  const [first = new Uint8Array(), ...variants] = bodies
  const sent = first.length > MOST_VARIED_BYTES ? [first] : [first, ...variants]
  return { request: { ...request, bodies: sent.map((body) => btoa(byteTextOf(body))) } }
}
