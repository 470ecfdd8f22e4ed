/**
 * Reads requests from copied text: raw HTTP, a command, JSON, a `.http` file, a log line, or headers and body, also in a mail or
 * message. Bounded, and nothing is executed or opened. What isn't understood is refused with its name, never judged.
 */
import { MOST_COPIED } from './pasted-body.ts'
import { readCommand } from './pasted-curl.ts'
import { NOTHING_FOUND, readHttp, readHttpFile } from './pasted-http.ts'
import { readJsonText } from './pasted-json.ts'
import { readLog } from './pasted-log.ts'
import { latin1Of, latin1OfBytes, type Pasted, type PastedRequest } from './pasted-text.ts'
import { startOf, type PastedView, viewsOf, withoutPrompts } from './pasted-wrapping.ts'

/** Bytes of a pasted text. */
export const MOST_PASTED_BYTES = 24 * 1_048_576

/** One character per byte of UTF-8; UTF-16 with a byte order mark is converted. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return latin1Of(new TextDecoder('utf-16le').decode(bytes))
  if (first === 0xfe && second === 0xff) return latin1Of(new TextDecoder('utf-16be').decode(bytes))
  return latin1OfBytes(bytes).replace(/^\xef\xbb\xbf/, '')
}

export function readPasted(bytes: Uint8Array): Pasted {
  if (bytes.length > MOST_PASTED_BYTES)
    return { refused: 'The text is larger than 24 MiB. Paste one request, or a shorter HAR file.' }
  const views = viewsOf(textOf(bytes))
  if (views.every(({ text }) => text.trim() === ''))
    return { refused: 'The text is empty. Paste a request.' }
  let refused = NOTHING_FOUND
  for (const view of views) {
    const read = readView(view)
    if ('requests' in read) return read
    if (refused === NOTHING_FOUND) refused = read.refused
  }
  return { refused }
}

function readView({ text, isPlain }: PastedView): Pasted {
  const file = readHttpFile(text)
  if (file !== null) return file
  const start = startOf(text)
  if (start === null) {
    if (/^\s*(?:await\s+)?fetch\(/.test(text))
      return { refused: 'This is program code. In the browser, choose "Copy as cURL" instead.' }
    if (/^type: collection\.insomnia\.rest/.test(text))
      return {
        refused:
          "Insomnia's YAML isn't read. Export as Insomnia 4 (JSON), or copy the request as cURL.",
      }
    return readLog(text) ?? readHttp(text, isPlain)
  }
  if (start.kind === 'command') return readCommand(withoutPrompts(text.slice(start.at)))
  if (start.kind === 'http') return readHttp(text.slice(start.at), isPlain && start.at === 0)
  return (
    readJsonText(text) ??
    readLog(text) ?? {
      refused: /^\s*\{\s*"log"/.test(text)
        ? "The HAR file is cut off or changed: it isn't valid JSON. Save it again."
        : "This JSON can't be read as a request. Paste its headers too, an empty line, then the body.",
    }
  )
}

/** Only the requests with a signature header if any has one: a browser's HAR has many others. */
export function signedOf(requests: readonly PastedRequest[]): {
  readonly requests: readonly PastedRequest[]
  readonly skipped: number
} {
  const signed = requests.filter(({ headers }) =>
    headers.some(([name]) => name.toLowerCase().endsWith('-signature')),
  )
  return signed.length === 0
    ? { requests, skipped: 0 }
    : { requests: signed, skipped: requests.length - signed.length }
}

/** A request as input of `exchange.verify`. Other readings of a large body are left out. */
export function verifyInput({ note: _, bodies, ...request }: PastedRequest) {
  const [first = new Uint8Array(), ...more] = bodies
  const sent = first.length > MOST_COPIED ? [first] : [first, ...more]
  return {
    request: { ...request, bodies: sent.map((body) => btoa(latin1OfBytes(body))) },
  }
}
