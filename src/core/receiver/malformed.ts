/** Why a request could not be read, in a sentence: a malformed request is shown, not dropped. */
import { counted } from '../../shared/text/counted.ts'

/** What Node's parser and TLS give with an error of a client. */
export interface ClientError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly bytesParsed?: number
  /** The bytes that could not be parsed, as they came. */
  readonly rawPacket?: Buffer
}

const SENTENCES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than the receiver takes (64 KiB in all).',
  HPE_INVALID_METHOD: 'The request line does not begin with an HTTP method.',
  HPE_INVALID_VERSION: 'The request line names an HTTP version that does not exist.',
  HPE_INVALID_URL: 'The request line has an invalid address.',
  HPE_INVALID_CONSTANT: 'The request line is not one of HTTP/1.1.',
  HPE_INVALID_HEADER_TOKEN: 'A header has a character that is not allowed there, or no colon.',
  HPE_INVALID_CONTENT_LENGTH: 'The Content-Length header is not a number.',
  HPE_UNEXPECTED_CONTENT_LENGTH:
    'There are two lengths of the body that contradict each other (Content-Length twice, or with Transfer-Encoding).',
  HPE_INVALID_TRANSFER_ENCODING:
    'The Transfer-Encoding header is not one that HTTP/1.1 allows, or stands beside a Content-Length.',
  HPE_INVALID_CHUNK_SIZE: 'The length of a chunk of the body is not a hexadecimal number.',
  HPE_CR_EXPECTED: 'A line ends with a line feed alone; HTTP wants carriage return and line feed.',
  HPE_LF_EXPECTED: 'A line ends with a carriage return alone; HTTP wants carriage return and line feed.',
  HPE_STRICT: 'The request breaks the grammar of HTTP/1.1.',
  HPE_INVALID_EOF_STATE: 'The connection was closed in the middle of the request.',
  HPE_PAUSED_H2_UPGRADE: 'The sender spoke HTTP/2; the receiver speaks HTTP/1.1.',
  HPE_CLOSED_CONNECTION: 'More bytes came after a request that said it was the last.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive whole in time (10 s for the headers, 60 s in all).',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'The TLS handshake was begun and not brought to its end in time.',
  ERR_SSL_NO_APPLICATION_PROTOCOL: 'The sender offers only protocols such as HTTP/2; the receiver speaks HTTP/1.1.',
  ECONNRESET: 'The connection was reset in the middle of the request.',
  ERR_SSL_HTTP_REQUEST: 'Plain HTTP was spoken to the HTTPS port: use https:// in the URL.',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'The sender offers only versions of TLS that are too old.',
  ERR_SSL_NO_SHARED_CIPHER: 'The sender and the receiver have no TLS cipher in common.',
}

/** What the parser says of both kinds of fields, of those that follow the body. */
const TRAILER_SENTENCES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The trailers are larger than the receiver takes (64 KiB in all).',
  HPE_INVALID_HEADER_TOKEN: 'A trailer has a character that is not allowed there, or no colon.',
}

const UNTRUSTED = 'The sender does not trust the certificate: give it ca.pem from the tls folder (curl: --cacert).'

const BROKEN_OFF =
  'The sender broke off the TLS handshake, most likely because it does not trust the certificate: give it ca.pem from the tls folder.'

/** Why a handshake failed. */
export function handshakeReasonOf(error: ClientError): string {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE' ? BROKEN_OFF : reasonOf(error)
}

/** Why a body ended early, after `size` bytes of those that were announced. */
export function interruptionReasonOf(fault: ClientError | null, size: number, announced: string | undefined): string {
  const code = fault?.code ?? 'ECONNRESET'
  const isGone = code === 'ECONNRESET' || code === 'EPIPE' || code === 'HPE_INVALID_EOF_STATE'
  // The headers were read when the body began.
  if (fault !== null && !isGone) return TRAILER_SENTENCES[code] ?? reasonOf(fault)
  const of = announced === undefined ? '' : ` (${announced} bytes were announced)`
  return `The body stopped after ${counted(size, 'byte')}${of}: the sender closed the connection.`
}

/** Why a request of this version, which the parser reads, is not one for the receiver; null for those that are. */
export function versionReasonOf(version: string): string | null {
  if (version === '1.1' || version === '1.0') return null
  return `The request line says HTTP/${version}; the receiver speaks HTTP/1.1.`
}

/** The reason as a sentence; the parser's own words where there is no better one. */
export function reasonOf(error: ClientError): string {
  if (startsLikeHttp2(error.rawPacket)) return SENTENCES['HPE_PAUSED_H2_UPGRADE']!
  const code = error.code ?? ''
  // To the parser a line feed alone makes the version unreadable, which is not what is wrong with it.
  if (code === 'HPE_INVALID_VERSION' && /^[^\r\n]*\n/.test(error.rawPacket?.toString('latin1') ?? ''))
    return SENTENCES['HPE_CR_EXPECTED']!
  if (/ALERT_(UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE)/.test(code)) return UNTRUSTED
  const known = SENTENCES[code]
  if (known !== undefined) return known
  const detail = error.reason ?? error.message
  return code.startsWith('ERR_SSL') || code.startsWith('EPROTO')
    ? `The TLS handshake failed: ${detail}.`
    : `The request is not HTTP/1.1 as the receiver can read it: ${detail}.`
}

function startsLikeHttp2(packet: Buffer | undefined): boolean {
  return packet !== undefined && packet.subarray(0, 14).toString('latin1') === 'PRI * HTTP/2.0'
}

/** The status that a malformed request is answered with, where it can still be answered. */
export function statusOf(error: ClientError): number {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 431
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}
