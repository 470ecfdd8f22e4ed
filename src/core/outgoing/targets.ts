/** Reads a target as entered: its URL, the signed URL, its CA certificate. Resolves no names. */
import { AppError } from '../../shared/contract/errors.ts'
import { lacksScheme, withScheme } from '../../shared/http.ts'
import { isCertificate } from '../hooks/environment-rules.ts'
import { hostOf } from './wire/loopback.ts'

export function invalidField(field: string, message: string): AppError {
  return new AppError('INVALID_INPUT', message, { details: { field } })
}

/** Throws `INVALID_INPUT` if the URL to sign (section 5.2) isn't valid. */
export function checkSignedUrl(registeredUrl: string | null): void {
  if (registeredUrl === null || URL.canParse(registeredUrl)) return
  throw invalidField(
    'registeredUrl',
    `"${registeredUrl}" isn't a valid URL. Enter the URL that your handler is registered with.`,
  )
}

/** Parses a target; `http://` may be omitted on loopback. Throws `INVALID_INPUT`. */
export function readTarget(text: string): URL {
  const complete = withScheme(text)
  const url = URL.canParse(complete) ? new URL(complete) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new AppError(
      'INVALID_INPUT',
      lacksScheme(text)
        ? `"${text}" has no scheme. Start it with https:// or http://.`
        : `"${text}" isn't a complete URL. Use one like http://127.0.0.1:3000/webhooks.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError(
      'INVALID_INPUT',
      `Remove the user name from the target URL (${url.host}). Text before an @ is easily mistaken for the host.`,
    )
  }
  return url
}

export const targetHost = (text: string): string => hostOf(readTarget(text))

/** Throws `INVALID_INPUT` if `pem` isn't a certificate. */
export function checkTargetCa(pem: string | null): void {
  if (pem !== null && !isCertificate(pem))
    throw invalidField(
      'targetCa',
      'The target\'s CA certificate isn\'t a PEM certificate. It should begin with "-----BEGIN CERTIFICATE-----".',
    )
}
