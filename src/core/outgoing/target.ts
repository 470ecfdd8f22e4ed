/** Reads what a user gives for a target: its URL, the URL that is signed, the CA certificate of its own. Nothing is looked up. */
import { X509Certificate } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'

/**
 * Checks the URL that is signed in place of the hook's own: the one that the receiver believes it has (section 5.2). Throws
 * `INVALID_INPUT` if it is not a URL; null: the hook's own.
 */
export function checkSignedUrl(registeredUrl: string | null): void {
  if (registeredUrl === null || URL.canParse(registeredUrl)) return
  throw new AppError('INVALID_INPUT', `"${registeredUrl}" is no URL. Give the URL that your handler believes it has.`, {
    details: { field: 'registeredUrl' },
  })
}

/** Reads a target. Throws `INVALID_INPUT` where it is no URL that a request can be sent to. */
export function readTarget(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new AppError('INVALID_INPUT', `"${text}" is no target. Give a whole URL, for example http://127.0.0.1:3000/webhooks.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError(
      'INVALID_INPUT',
      `The target names a user before its host, ${url.host}. Leave that out: what stands before an @ is easily taken for the host.`,
    )
  }
  return url
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Throws `INVALID_INPUT` where `pem` is no certificate; null is the absence of one. */
export function checkTargetCa(pem: string | null): void {
  if (pem !== null && !isCertificate(pem))
    throw new AppError(
      'INVALID_INPUT',
      'The certificate authority of the target is not a PEM certificate. One begins with "-----BEGIN CERTIFICATE-----".',
      { details: { field: 'targetCa' } },
    )
}
