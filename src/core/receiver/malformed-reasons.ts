import type { IncomingMessage } from 'node:http'
import { counted } from '../../shared/text/english.ts'

/** Error of Node's parser or TLS, with the fields that they add. */
export interface ClientError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly bytesParsed?: number
  readonly rawPacket?: Buffer
}

const TOO_MANY = 'more than 64 KiB or 500 lines, the limits.'
const SENTENCES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The headers have ${TOO_MANY}`,
  HPE_INVALID_METHOD: "The request line doesn't start with an HTTP method.",
  HPE_INVALID_VERSION: 'The request line has an unknown HTTP version.',
  HPE_INVALID_URL: 'The request line has an invalid URL.',
  HPE_INVALID_CONSTANT: "The request line isn't valid HTTP/1.1.",
  HPE_INVALID_HEADER_TOKEN: 'A header has an invalid character, or no colon.',
  HPE_INVALID_CONTENT_LENGTH: "The Content-Length header isn't a number.",
  HPE_UNEXPECTED_CONTENT_LENGTH:
    'The request has two contradicting body lengths (Content-Length twice, or with Transfer-Encoding).',
  HPE_INVALID_TRANSFER_ENCODING:
    "The Transfer-Encoding header isn't valid in HTTP/1.1, or is combined with a Content-Length.",
  HPE_INVALID_CHUNK_SIZE: "The length of a body chunk isn't a hexadecimal number.",
  HPE_CR_EXPECTED: 'A line ends with LF only. HTTP requires CR LF.',
  HPE_LF_EXPECTED: 'A line ends with CR only. HTTP requires CR LF.',
  HPE_STRICT: 'The request violates HTTP/1.1 syntax.',
  HPE_INVALID_EOF_STATE: 'The connection was closed in the middle of the request.',
  HPE_PAUSED_H2_UPGRADE: 'The sender used HTTP/2; the receiver supports HTTP/1.1.',
  HPE_CLOSED_CONNECTION: "More bytes followed a request that announced the connection's end.",
  ERR_HTTP_REQUEST_TIMEOUT:
    "The request didn't arrive completely in time (10 s for the headers, 60 s in total).",
  ERR_TLS_HANDSHAKE_TIMEOUT: "The TLS handshake wasn't completed in time.",
  ERR_SSL_NO_APPLICATION_PROTOCOL:
    'The sender offers only protocols such as HTTP/2; the receiver supports HTTP/1.1.',
  ECONNRESET: 'The connection was reset in the middle of the request.',
  ERR_SSL_HTTP_REQUEST: 'Plain HTTP was sent to the HTTPS port. Use https:// in the URL.',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'The sender offers only outdated TLS versions.',
  ERR_SSL_NO_SHARED_CIPHER: 'The sender and the receiver share no TLS cipher.',
}

const TRAILER_SENTENCES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The trailers have ${TOO_MANY}`,
  HPE_INVALID_HEADER_TOKEN: 'A trailer has an invalid character, or no colon.',
}

const UNTRUSTED =
  "The sender doesn't trust the certificate. Give it ca.pem from the tls folder (curl: --cacert)."
const BROKEN_OFF =
  "The sender aborted the TLS handshake, probably because it doesn't trust the certificate. Give it ca.pem from the tls folder."
const LENGTH_TWICE =
  'The request has the Content-Length header twice, with the same value. The sender or a proxy adds it again: send it once.'
const TLS_ON_HTTP = 'TLS handshake on the HTTP port. Send https:// requests to the HTTPS port.'
const TLS_TWICE =
  'TLS handshake inside an HTTPS connection. The sender or a proxy encrypts twice: remove one TLS layer.'

export function handshakeReasonOf(error: ClientError): string {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE' ? BROKEN_OFF : reasonOf(error)
}

/** Explains a body that ended early, after `size` bytes. */
export function interruptionReasonOf(
  fault: ClientError | null,
  size: number,
  announced: string | undefined,
): string {
  const code = fault?.code ?? 'ECONNRESET'
  const isGone = code === 'ECONNRESET' || code === 'EPIPE' || code === 'HPE_INVALID_EOF_STATE'
  // The headers were read when the body began.
  if (fault !== null && !isGone) return TRAILER_SENTENCES[code] ?? reasonOf(fault)
  const announcement = announced === undefined ? '' : ` (${announced} bytes were announced)`
  return `The body stopped after ${counted(size, 'byte')}${announcement}: the sender closed the connection.`
}

export function versionReasonOf(version: string): string | null {
  if (version === '1.1' || version === '1.0') return null
  return `The request line says HTTP/${version}; the receiver supports HTTP/1.1.`
}

export function linesReasonOf(
  { rawHeaders, rawTrailers }: Pick<IncomingMessage, 'rawHeaders' | 'rawTrailers'>,
  maxLines: number,
): string | null {
  if (rawHeaders.length > 2 * maxLines) return SENTENCES['HPE_HEADER_OVERFLOW']!
  return rawTrailers.length > 2 * maxLines ? TRAILER_SENTENCES['HPE_HEADER_OVERFLOW']! : null
}

/** Explains an error in a sentence, else in the parser's own words. */
export function reasonOf(
  error: ClientError,
  { isEncrypted }: { readonly isEncrypted: boolean } = { isEncrypted: true },
): string {
  if (startsLikeTls(error.rawPacket)) return isEncrypted ? TLS_TWICE : TLS_ON_HTTP
  if (startsLikeHttp2(error.rawPacket)) return SENTENCES['HPE_PAUSED_H2_UPGRADE']!
  const code = error.code ?? ''
  // The parser reports a line that ends with LF only as an unreadable version.
  if (
    code === 'HPE_INVALID_VERSION' &&
    /^[^\r\n]*\n/.test(error.rawPacket?.toString('latin1') ?? '')
  )
    return SENTENCES['HPE_CR_EXPECTED']!
  if (code === 'HPE_UNEXPECTED_CONTENT_LENGTH' && repeatsLength(error.rawPacket))
    return LENGTH_TWICE
  if (/ALERT_(UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE)/.test(code)) return UNTRUSTED
  const sentence = SENTENCES[code]
  if (sentence !== undefined) return sentence
  const detail = error.reason ?? error.message
  return code.startsWith('ERR_SSL') || code.startsWith('EPROTO')
    ? `The TLS handshake failed: ${detail}.`
    : `The request isn't readable as HTTP/1.1: ${detail}.`
}

/** Whether a packet has equal Content-Length headers, and no Transfer-Encoding. */
function repeatsLength(packet: Buffer | undefined): boolean {
  const head = packet?.toString('latin1').split('\r\n\r\n')[0] ?? ''
  const values = [...head.matchAll(/^content-length:(.*)$/gim)].map(([, value]) => value?.trim())
  return (
    values.length > 1 && new Set(values).size === 1 && !/^transfer-encoding[ \t]*:/im.test(head)
  )
}

/** Start of each HTTP/2 connection (RFC 9113, section 3.4). */
const HTTP2_PREFACE = 'PRI * HTTP/2.0'

function startsLikeHttp2(packet: Buffer | undefined): boolean {
  return (
    packet !== undefined && packet.toString('latin1', 0, HTTP2_PREFACE.length) === HTTP2_PREFACE
  )
}

/** First bytes of a TLS record with a handshake. */
const TLS_HANDSHAKE = 0x16
const TLS_MAJOR_VERSION = 0x03

function startsLikeTls(packet: Buffer | undefined): boolean {
  return packet?.[0] === TLS_HANDSHAKE && packet[1] === TLS_MAJOR_VERSION
}

export function statusOf(error: ClientError): number {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 431
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}
