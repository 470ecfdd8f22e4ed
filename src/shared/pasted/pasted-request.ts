/**
 * Reader of copied requests in any form, even in a mail. Nothing is executed or opened; what isn't
 * understood is refused.
 */
import { MOST_COPIED } from './pasted-body.ts'
import { readCommand } from './pasted-curl.ts'
import { NOTHING_FOUND, readHttp, readHttpFile } from './pasted-http.ts'
import { readJsonText } from './pasted-json.ts'
import { readLog } from './pasted-log.ts'
import {
  resultOrRefusal,
  isSigned,
  latin1Of,
  latin1OfBytes,
  type Pasted,
  type PastedRequest,
  refuse,
  textOfLatin1,
} from './pasted-text.ts'
import { startOf, type CandidateText, likelyTexts, withoutPrompts } from './pasted-wrapping.ts'

export const MOST_PASTED_BYTES = 24 * 1_048_576

/** Decodes to one character per byte of UTF-8. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return latin1Of(new TextDecoder('utf-16le').decode(bytes))
  if (first === 0xfe && second === 0xff) return latin1Of(new TextDecoder('utf-16be').decode(bytes))
  return latin1OfBytes(bytes).replace(/^\xef\xbb\xbf/, '')
}

export function readPasted(bytes: Uint8Array): Pasted {
  if (bytes.length > MOST_PASTED_BYTES)
    return { refused: 'The text is larger than 24 MiB. Paste one request, or a shorter HAR file.' }
  const views = likelyTexts(textOf(bytes))
  if (views.every(({ text }) => text.trim() === ''))
    return { refused: 'The text is empty. Add a request.' }
  let refused = NOTHING_FOUND
  for (const view of views) {
    const requests = resultOrRefusal(() => readView(view))
    if (typeof requests !== 'string') return signedOf(requests)
    if (refused === NOTHING_FOUND) refused = requests
  }
  return { refused }
}

/** Keeps signed requests, if any: a browser's HAR has many others. */
function signedOf(requests: readonly PastedRequest[]): Pasted {
  const signed = requests.filter(({ headers }) => isSigned(headers))
  return signed.length === 0
    ? { requests, skipped: 0 }
    : { requests: signed, skipped: requests.length - signed.length }
}

/** Texts that are recognized, but not read. */
const unread: readonly (readonly [RegExp, string])[] = [
  [
    /^\s*(?:await\s+)?fetch\(/,
    'This is program code. In the browser, choose "Copy as cURL" instead.',
  ],
  [
    /^type: collection\.insomnia\.rest/,
    "Insomnia's YAML isn't read. Export as Insomnia 4 (JSON), or copy the request as cURL.",
  ],
]

function readView({ text, isPlain }: CandidateText): readonly PastedRequest[] {
  const file = readHttpFile(text)
  if (file !== null) return file
  const start = startOf(text)
  if (start?.kind === 'command') return [readCommand(withoutPrompts(text.slice(start.at)))]
  if (start?.kind === 'http') return [readHttp(text.slice(start.at), isPlain && start.at === 0)]
  for (const [pattern, sentence] of unread) if (pattern.test(text)) refuse(sentence)
  const json = start === null ? null : readJsonText(textOfLatin1(text))
  if (json?.length === 0)
    refuse('This is a body without headers. Paste the headers, an empty line, then the body.')
  const requests = json ?? readLog(text)
  if (requests !== null) return requests
  if (start === null) return [readHttp(text, isPlain)]
  return refuse(
    /^\s*\{\s*"log"/.test(text)
      ? "The HAR file is cut off or changed: it isn't valid JSON. Save it again."
      : "This JSON can't be read as a request. Paste its headers too, an empty line, then the body.",
  )
}

/** Returns the input of `exchange.verify`; a large body has no variants. */
export function verifyInput({ note: _, bodies, ...request }: PastedRequest) {
  const [first = new Uint8Array(), ...others] = bodies
  const sent = first.length > MOST_COPIED ? [first] : [first, ...others]
  return {
    request: { ...request, bodies: sent.map((body) => btoa(latin1OfBytes(body))) },
  }
}
