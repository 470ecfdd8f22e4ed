/** Validates an environment (section 5). */
import { X509Certificate } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { EnvironmentAdd, EnvironmentFinding } from '../../shared/model/environment.ts'
import { withOrigin } from '../../shared/service/hook-finding.ts'
import { isTokenPath } from '../service-api/connection.ts'
import { isSecretName } from '../service-api/secrets-in-answers.ts'
import { REFRESH_TOKEN_FIELD } from '../service-api/token.ts'

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol)
}

/** Loopback may use plain HTTP, for developers who test against a fake service. */
function isLoopback(text: string): boolean {
  return /^((.*\.)?localhost|127(\.\d+){3}|\[::1\])\.?$/.test(new URL(text).hostname)
}

function checkServiceUrl(what: string, text: string): string[] {
  if (!isUrl(text, ['https:', 'http:']))
    return [`${what} "${text}" isn't a valid URL. Use one like https://api.example.com.`]
  if (new URL(text).protocol === 'http:' && !isLoopback(text))
    return [`${what} must be HTTPS. Otherwise the key would be sent unencrypted.`]
  const { username, password } = new URL(text)
  return username === '' && password === ''
    ? []
    : [`${what} must not contain a user name or password.`]
}

/** The API's version and paths are appended, so the base URL ends with a path. A version at its end must match the setting. */
function checkBaseUrl(text: string, apiVersion: string): string[] {
  const findings = checkServiceUrl('The base URL', text)
  if (findings.length > 0) return findings
  if (/[?#]/.test(text)) return ['The base URL must not have a query or fragment.']
  const named = /\/(v\d[^/]*)\/*$/i.exec(new URL(text).pathname)?.[1]
  if (named === undefined || named === apiVersion) return []
  return [
    `The base URL ends in /${named}, but the API version is ${apiVersion}. Set the API version to ${named}, or remove it from the URL.`,
  ]
}

function checkProxy(text: string): string[] {
  if (!isUrl(text, ['http:', 'https:']))
    return ["The proxy isn't a valid HTTP URL. Use one like http://127.0.0.1:8080."]
  const { username, password } = new URL(text)
  return username === '' && password === ''
    ? []
    : [
        'The proxy must not contain a user name or password, because it is stored in clear. Use a proxy without authentication.',
      ]
}

/** Whether a text is a PEM certificate that TLS can use. */
export function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    // Either not PEM, or PEM without a valid certificate.
    return false
  }
}

function checkKey(key: string | undefined): string[] {
  if (key === undefined || key === '') return ['Enter a secret key (it starts with sk).']
  if (key.startsWith('pk')) return ['This is a public key (pk…). Enter the secret key (sk…).']
  if (!key.startsWith('sk')) return ['Secret keys start with sk.']
  return /^[\x21-\x7e]+$/.test(key)
    ? []
    : ["The key has a character that isn't allowed in a header."]
}

function checkTokenUrl(tokenUrl: string | undefined): string[] {
  if (tokenUrl === undefined || tokenUrl === '')
    return [
      "Enter the token endpoint's URL, or its path below the base URL. The spec doesn't give it.",
    ]
  return isTokenPath(tokenUrl) ? [] : checkServiceUrl('The token URL', tokenUrl)
}

/** Extra fields must not replace fields that other settings fill, or look like secrets. */
function checkTokenRequestFields(
  fields: Readonly<Record<string, string>>,
  refreshTokenField: string | null,
): string[] {
  const filled = ['client_id', 'client_secret', refreshTokenField ?? REFRESH_TOKEN_FIELD]
  return Object.keys(fields).flatMap((name) => {
    if (filled.includes(name)) return [`${name} is always sent. Remove it from the extra fields.`]
    return isSecretName(name)
      ? [`${name} looks like a secret, and extra fields are stored in clear. Remove it.`]
      : []
  })
}

function checkBearer(input: EnvironmentAdd): EnvironmentFinding[] {
  const { clientId, clientSecret, tokenUrl } = input
  return [
    ...(clientId === undefined || clientId === ''
      ? at('clientId', '5.3', ['Enter a client ID for bearer authentication.'])
      : []),
    ...(clientSecret === undefined || clientSecret === ''
      ? at('clientSecret', '5.3', ['Enter a client secret for bearer authentication.'])
      : []),
    ...at('tokenUrl', '5.3', checkTokenUrl(tokenUrl)),
    ...at(
      'tokenRequestFields',
      '',
      checkTokenRequestFields(input.tokenRequestFields, input.refreshTokenField),
    ),
  ]
}

/** Problems as findings at a field. `section` is empty if the spec has no rule. */
function at(
  field: EnvironmentFinding['field'],
  section: string,
  sentences: readonly string[],
): EnvironmentFinding[] {
  return sentences.map((message) => ({ field, section, message }))
}

/** Throws `INVALID_ENVIRONMENT` with all findings, each with its field. */
export function checkEnvironment(input: EnvironmentAdd): void {
  const findings = [
    ...at('baseUrl', '', checkBaseUrl(input.baseUrl, input.apiVersion)),
    ...(input.auth === 'bearer' ? checkBearer(input) : at('key', '5.1', checkKey(input.key))),
    ...at('proxy', '', input.proxy === null ? [] : checkProxy(input.proxy)),
    ...authorityFindings(input.caPem),
  ]
  refuse(findings)
}

/** The same for just a CA certificate. */
export function checkAuthority(caPem: string | null): void {
  refuse(authorityFindings(caPem))
}

function authorityFindings(caPem: string | null): EnvironmentFinding[] {
  const isRight = caPem === null || isCertificate(caPem)
  return at('caPem', '', isRight ? [] : ["The CA certificate isn't a PEM certificate."])
}

function refuse(findings: readonly EnvironmentFinding[]): void {
  if (findings.length === 0) return
  const sentences = findings.map((finding) =>
    finding.section === '' ? finding.message : withOrigin(finding),
  )
  throw new AppError('INVALID_ENVIRONMENT', sentences.join(' '), { details: findings })
}
