/** What an environment must be before it is used (section 5). */
import { X509Certificate } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { EnvironmentAdd, EnvironmentFinding } from '../../shared/model/environment.ts'

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol)
}

/** Loopback may speak plain HTTP: a stand-in of the service in a developer's own tests. */
function isLoopback(text: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(text).hostname)
}

function checkServiceUrl(what: string, text: string): string[] {
  if (!isUrl(text, ['https:', 'http:'])) return [`${what} "${text}" is not a URL; it takes one like https://api.example.com.`]
  if (new URL(text).protocol === 'http:' && !isLoopback(text)) return [`${what} must be HTTPS: a secret would travel in clear.`]
  const { username, password } = new URL(text)
  return username === '' && password === '' ? [] : [`${what} must not hold a user name or password.`]
}

/** Paths are put behind it, so nothing may stand there. */
function checkBaseUrl(text: string): string[] {
  const findings = checkServiceUrl('The base URL', text)
  return findings.length === 0 && /[?#]/.test(text) ? ['The base URL must not have a query or a fragment.'] : findings
}

function checkProxy(text: string): string[] {
  if (!isUrl(text, ['http:', 'https:'])) return ['The proxy is not an HTTP URL; it takes one like http://127.0.0.1:8080.']
  const { username, password } = new URL(text)
  return username === '' && password === ''
    ? []
    : ['The proxy must not hold a user name or password: it is kept in clear. Use one that asks for none.']
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    // Not PEM, or not a certificate in it.
    return false
  }
}

function checkKey(key: string | undefined): string[] {
  if (key === undefined || key === '') return ['A secret key is needed (it starts with sk).']
  if (key.startsWith('pk')) return ['This is a public key (pk…); calls are authenticated with the secret one (sk…).']
  if (!key.startsWith('sk')) return ['A secret key starts with sk.']
  return /^[\x21-\x7e]+$/.test(key) ? [] : ['The key has a character that cannot stand in a header.']
}

function checkTokenUrl(tokenUrl: string | undefined): string[] {
  return tokenUrl === undefined || tokenUrl === ''
    ? ['Bearer authentication needs the URL of the token endpoint: the interface does not show it.']
    : checkServiceUrl('The token URL', tokenUrl)
}

function checkBearer({ clientId, clientSecret, tokenUrl }: EnvironmentAdd): EnvironmentFinding[] {
  return [
    ...(clientId === undefined || clientId === '' ? at('clientId', '5.3', ['Bearer authentication needs a client id.']) : []),
    ...(clientSecret === undefined || clientSecret === ''
      ? at('clientSecret', '5.3', ['Bearer authentication needs a client secret.'])
      : []),
    ...at('tokenUrl', '5.3', checkTokenUrl(tokenUrl)),
  ]
}

/** The sentences as findings at a field; `section` is empty where the interface has no say. */
function at(field: EnvironmentFinding['field'], section: string, sentences: readonly string[]): EnvironmentFinding[] {
  return sentences.map((message) => ({ field, section, message }))
}

/** Throws `INVALID_ENVIRONMENT` with everything that is wrong at once, each finding with its field. */
export function checkEnvironment(input: EnvironmentAdd): void {
  const findings = [
    ...at('baseUrl', '', checkBaseUrl(input.baseUrl)),
    ...(input.auth === 'bearer' ? checkBearer(input) : at('key', '5.1', checkKey(input.key))),
    ...at('proxy', '', input.proxy === null ? [] : checkProxy(input.proxy)),
    ...authorityFindings(input.caPem),
  ]
  refuse(findings)
}

/** The same of a certificate authority alone. */
export function checkAuthority(caPem: string | null): void {
  refuse(authorityFindings(caPem))
}

function authorityFindings(caPem: string | null): EnvironmentFinding[] {
  const isRight = caPem === null || isCertificate(caPem)
  return at('caPem', '', isRight ? [] : ['The certificate authority is not a PEM certificate.'])
}

function refuse(findings: readonly EnvironmentFinding[]): void {
  if (findings.length === 0) return
  const sentences = findings.map(({ message, section }) => (section === '' ? message : `${message} (section ${section})`))
  throw new AppError('INVALID_ENVIRONMENT', sentences.join(' '), { details: findings })
}
