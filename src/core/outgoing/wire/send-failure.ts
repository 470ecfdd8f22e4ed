/** Explains why a request got no response: a kind for programs and a sentence for people. */
import { uncapitalized } from '../../../shared/text/english.ts'
import { maxHeaderSize } from '../../base/node-http.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { SendFailureKind } from '../../../shared/model/send.ts'

export interface SendFailure {
  readonly kind: SendFailureKind
  readonly message: string
  readonly reason?: string
  readonly needsCa?: true
}

/** Reason, by default OpenSSL's, and fix, by default to provide a CA certificate. */
interface CertificateProblem {
  readonly why?: string
  readonly fix?: string
}

const UNKNOWN_CA: CertificateProblem = { why: 'signed by an unknown CA' }

const certificateProblems: Readonly<Record<string, CertificateProblem>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  DEPTH_ZERO_SELF_SIGNED_CERT: { why: 'self-signed' },
  CERT_HAS_EXPIRED: {
    why: 'expired',
    fix: 'Renew the certificate, or make the endpoint use the renewed one.',
  },
  CERT_NOT_YET_VALID: {
    why: 'not valid yet',
    fix: "Create a new certificate, or correct this computer's clock.",
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    why: 'issued for another name',
    fix: 'Create a certificate for this name, or send to a name in the certificate.',
  },
  CERT_REVOKED: {},
  CERT_UNTRUSTED: {},
  CERT_REJECTED: {},
  CERT_SIGNATURE_FAILURE: {},
  INVALID_CA: {},
  INVALID_PURPOSE: {},
  PERMITTED_VIOLATION: {},
  HOSTNAME_MISMATCH: {},
}

export const MAX_INTERIM = 16
export const TOO_MANY_INTERIM = 'TOO_MANY_INTERIM'

const PLAIN_ADVICE = 'Use http:// instead of https:// in the URL, or the port that speaks HTTPS.'
const HTTPS_ADVICE =
  'Use https:// instead of http:// in the URL, or the port that speaks plain HTTP.'

const TRUST_ADVICE = 'Use a certificate from a CA that this computer trusts.'

/** First byte of a TLS alert (RFC 8446, section 5.1). */
const TLS_ALERT = 0x15
const TLS_MAJOR_VERSION = 3

interface Explanation {
  readonly kind: SendFailureKind
  readonly sentence: string
}

const UNKNOWN_HOST: Explanation = {
  kind: 'unknown-host',
  sentence: "Couldn't resolve the host name in {host}. Correct the URL, or check the network.",
}
const NO_ROUTE: Explanation = {
  kind: 'other',
  sentence: "No route to {host} ({reason}). Check the host, and this computer's network.",
}
const DROPPED: Explanation = {
  kind: 'dropped',
  sentence: '{host} closed the connection before its response was complete. Check its log.',
}
const NO_CONNECTION: Explanation = {
  kind: 'timeout',
  sentence:
    'The connection to {host} timed out. Check the host and port, and any firewall in between.',
}
const NO_TLS: Explanation = {
  kind: 'tls',
  sentence:
    "Couldn't establish a TLS connection to {host} ({reason}). Check that the port speaks HTTPS.",
}
const NOT_HTTP: Explanation = {
  kind: 'not-http',
  sentence:
    "{host} sent a response that isn't HTTP/1.1 ({reason}). Check the port, and what it sends.",
}
const OTHER: Explanation = {
  kind: 'other',
  sentence:
    'The request to {host} failed: {reason}. Try again. If it keeps failing, check the endpoint.',
}

const byCode: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: {
    kind: 'refused',
    sentence: 'Connection refused at {host}. Start your handler, or correct the port.',
  },
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  EHOSTDOWN: NO_ROUTE,
  ENETDOWN: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  ECONNRESET: DROPPED,
  EPIPE: DROPPED,
  UND_ERR_SOCKET: DROPPED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: DROPPED,
  UND_ERR_CONNECT_TIMEOUT: NO_CONNECTION,
  ETIMEDOUT: NO_CONNECTION,
  ERR_SSL_WRONG_VERSION_NUMBER: {
    kind: 'tls',
    sentence: `{host} doesn't speak HTTPS. It responded to the TLS handshake like a plain HTTP port. ${PLAIN_ADVICE}`,
  },
  EPROTO: NO_TLS,
  [TOO_MANY_INTERIM]: {
    kind: 'not-http',
    sentence: `{host} sent more than ${MAX_INTERIM} interim responses (status 100 to 199). Send the final response.`,
  },
  UND_ERR_HEADERS_OVERFLOW: {
    kind: 'not-http',
    sentence: `{host} sent more than ${maxHeaderSize / 1_024} KiB of headers, the limit. Send fewer or shorter headers.`,
  },
  ERR_INVALID_URL: {
    kind: 'other',
    sentence: "`{host}` isn't a complete URL. Use one that begins with http:// or https://.",
  },
  UND_ERR_INVALID_ARG: {
    kind: 'other',
    sentence:
      "Nothing was sent to {host}: the request isn't valid HTTP ({reason}). Correct its method, path or headers.",
  },
}

interface ClientError {
  readonly error: unknown
  readonly code: string
  readonly reason: string
  readonly hasHead: boolean
}

function explanationOf({ error, code, reason, hasHead }: ClientError): Explanation {
  if (code === 'ECONNRESET' && reason.includes('before secure TLS connection'))
    return {
      kind: 'tls',
      sentence: `{host} closed the connection during the TLS handshake, before anything was sent. If the port speaks plain HTTP: ${uncapitalized(PLAIN_ADVICE)}`,
    }
  // The client closes the connection at a response that it didn't ask for.
  if (code === 'UND_ERR_SOCKET' && reason === 'bad upgrade')
    return {
      kind: 'not-http',
      sentence:
        "{host} responded with 101 Switching Protocols, which the request didn't ask for. Send only the final response.",
    }
  // The client reports this for anything unreadable after a length, even if the connection is open.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !hasHead)
    return {
      kind: 'not-http',
      sentence:
        "{host} sent headers that aren't valid HTTP/1.1: two Content-Length values, Content-Length with Transfer-Encoding, or an invalid name. Send one Content-Length that matches the body, without Transfer-Encoding.",
    }
  if (beginsLikeTls(error))
    return { kind: 'not-http', sentence: `{host} speaks HTTPS, not plain HTTP. ${HTTPS_ADVICE}` }
  if (/^ERR_(SSL|TLS)_/.test(code)) return byCode[code] ?? NO_TLS
  const isUnreadable =
    code.startsWith('HPE_') || (error instanceof Error && error.name === 'HTTPParserError')
  return byCode[code] ?? (isUnreadable ? NOT_HTTP : OTHER)
}

/** Explains an error of the HTTP client; `host` may have a port. */
export function describeFailure(
  error: unknown,
  host: string,
  { hasHead = false }: Partial<Pick<ClientError, 'hasHead'>> = {},
): SendFailure {
  if (error instanceof AppError) return { kind: 'not-allowed', message: error.message }
  const code = codeOf(error)
  const reason = error instanceof Error && error.message !== '' ? error.message : String(error)
  const certificate = certificateProblems[code]
  if (certificate !== undefined) {
    const why = certificate.why ?? reason.replace(/; if the root CA is installed locally[^]*$/, '')
    return {
      kind: 'certificate',
      reason: why,
      ...(certificate.fix === undefined ? { needsCa: true } : {}),
      message: `The certificate of ${host} isn't valid (${why}). ${certificate.fix ?? TRUST_ADVICE}`,
    }
  }
  const { kind, sentence } = explanationOf({ error, code, reason, hasHead })
  const words = { host, reason: kind === 'tls' ? tlsReason(error, reason) : reason }
  return {
    kind,
    message: sentence.replace(/\{(host|reason)\}/g, (_, word: 'host' | 'reason') => words[word]),
  }
}

export function invalidStatusFailure(status: number, host: string): SendFailure {
  const code = String(status).padStart(3, '0')
  return {
    kind: 'not-http',
    message: `${host} returned ${code}, which isn't an HTTP status. Return one from 200 to 599.`,
  }
}

/** Adds advice, because an HTTPS port often drops a plain connection without a word. */
export function adviseOnScheme(failure: SendFailure, url: string): SendFailure {
  if (failure.kind !== 'dropped' || !/^http:/i.test(url)) return failure
  return {
    ...failure,
    message: `${failure.message} If the port speaks HTTPS: ${uncapitalized(HTTPS_ADVICE)}`,
  }
}

export function adviseOnCa(failure: SendFailure, advice: string): SendFailure {
  return failure.needsCa === true
    ? { ...failure, message: failure.message.replace(TRUST_ADVICE, advice) }
    : failure
}

function beginsLikeTls(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'HTTPParserError' || !('data' in error))
    return false
  const { data } = error
  const bytes = typeof data === 'string' ? Buffer.from(data, 'latin1') : data
  return bytes instanceof Uint8Array && bytes[0] === TLS_ALERT && bytes[1] === TLS_MAJOR_VERSION
}

function tlsReason(error: unknown, otherwise: string): string {
  return error instanceof Error && 'reason' in error && typeof error.reason === 'string'
    ? error.reason
    : otherwise
}

const MAX_CAUSES = 5

/** Returns the code of the error or of the first one that it wraps. */
function codeOf(error: unknown): string {
  for (
    let at: unknown = error, depth = 0;
    typeof at === 'object' && at !== null && depth < MAX_CAUSES;
    depth++
  ) {
    if ('code' in at && typeof at.code === 'string') return at.code
    if ('errors' in at && Array.isArray(at.errors)) at = at.errors[0]
    else at = 'cause' in at ? at.cause : null
  }
  return ''
}
