/** Validates an environment (section 5). */
import { X509Certificate } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { EnvironmentAdd, EnvironmentFinding } from '../../shared/model/environment.ts'
import { withOrigin } from '../../shared/service/hook-finding.ts'
import { isTokenPath } from '../service-api/connection.ts'
import { REFRESH_TOKEN_FIELD } from '../service-api/tokens.ts'
import { isSecretName } from '../service-api/exchange.ts'

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function isLoopback(text: string): boolean {
  return /^((.*\.)?localhost|127(\.\d+){3}|\[::1\])\.?$/.test(new URL(text).hostname)
}

function hasCredentials(text: string): boolean {
  const { username, password } = new URL(text)
  return username !== '' || password !== ''
}

function checkServiceUrl(what: string, text: string): string[] {
  if (!isHttpUrl(text))
    return [`${what} "${text}" isn't a valid URL. Use one like https://api.example.com.`]
  if (new URL(text).protocol === 'http:' && !isLoopback(text))
    return [`${what} must be HTTPS. Otherwise the key would be sent unencrypted.`]
  return hasCredentials(text) ? [`${what} must not contain a user name or password.`] : []
}

function checkBaseUrl(text: string, apiVersion: string): string[] {
  const findings = checkServiceUrl('The base URL', text)
  if (findings.length > 0) return findings
  if (/[?#]/.test(text)) return ['The base URL must not have a query or fragment.']
  const urlVersion = /\/(v\d[^/]*)\/*$/i.exec(new URL(text).pathname)?.[1]
  if (urlVersion === undefined || urlVersion === apiVersion) return []
  return [
    `The base URL ends in /${urlVersion}, but the API version is ${apiVersion}. Set the API version to ${urlVersion}, or remove it from the URL.`,
  ]
}

function checkProxy(text: string): string[] {
  if (!isHttpUrl(text))
    return ["The proxy isn't a valid HTTP URL. Use one like http://127.0.0.1:8080."]
  return hasCredentials(text)
    ? [
        'The proxy must not contain a user name or password, because it is stored in clear. Use a proxy without authentication.',
      ]
    : []
}

export function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
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

function checkFilled(text: string | undefined, what: string): string[] {
  return text === undefined || text === '' ? [`Enter a ${what} for bearer authentication.`] : []
}

/** Problems of one field; the section is empty if the spec has no rule. */
type FieldProblems = readonly [EnvironmentFinding['field'], section: string, string[]]

/** Throws `INVALID_ENVIRONMENT` with all findings. */
export function checkEnvironment(input: EnvironmentAdd): void {
  const { tokenRequestFields, refreshTokenField } = input
  throwFindings([
    ['baseUrl', '', checkBaseUrl(input.baseUrl, input.apiVersion)],
    ...(input.auth === 'bearer'
      ? ([
          ['clientId', '5.3', checkFilled(input.clientId, 'client ID')],
          ['clientSecret', '5.3', checkFilled(input.clientSecret, 'client secret')],
          ['tokenUrl', '5.3', checkTokenUrl(input.tokenUrl)],
          [
            'tokenRequestFields',
            '',
            checkTokenRequestFields(tokenRequestFields, refreshTokenField),
          ],
        ] as const)
      : ([['key', '5.1', checkKey(input.key)]] as const)),
    ['proxy', '', input.proxy === null ? [] : checkProxy(input.proxy)],
    ['caPem', '', checkCa(input.caPem)],
  ])
}

export function checkCaCertificate(caPem: string | null): void {
  throwFindings([['caPem', '', checkCa(caPem)]])
}

function checkCa(caPem: string | null): string[] {
  return caPem === null || isCertificate(caPem)
    ? []
    : ["The CA certificate isn't a PEM certificate."]
}

function throwFindings(problems: readonly FieldProblems[]): void {
  const findings = problems.flatMap(([field, section, sentences]) =>
    sentences.map((message): EnvironmentFinding => ({ field, section, message })),
  )
  if (findings.length === 0) return
  const sentences = findings.map((finding) =>
    finding.section === '' ? finding.message : withOrigin(finding),
  )
  throw new AppError('INVALID_ENVIRONMENT', sentences.join(' '), { details: findings })
}
