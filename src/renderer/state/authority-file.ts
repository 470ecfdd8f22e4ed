/** Reads a CA certificate file and explains why one is rejected. */
import { AppError } from '../../shared/contract/errors.ts'
import { MOST_AUTHORITY } from '../../shared/model/send.ts'

const PEM = '-----BEGIN CERTIFICATE-----'

/** The problem with a pasted CA certificate, judged by its length only; undefined if there is none. */
export function authorityProblem(text: string): string | undefined {
  return text.length > MOST_AUTHORITY
    ? `Too long: ${text.length.toLocaleString('en')} characters. A CA certificate has a few thousand, at most ${MOST_AUTHORITY.toLocaleString('en')}.`
    : undefined
}

/** Rejects with `INVALID_INPUT` if the file can't be a certificate, or with the browser's error if it can't be read. */
export async function readAuthorityFile(file: Pick<File, 'name' | 'size' | 'text'>): Promise<string> {
  if (file.size > MOST_AUTHORITY)
    throw new AppError(
      'INVALID_INPUT',
      `${file.name} is too large: ${file.size.toLocaleString('en')} bytes. A CA certificate file has a few thousand, at most ${MOST_AUTHORITY.toLocaleString('en')}.`,
    )
  const text = await file.text()
  if (text.includes(PEM)) return text
  throw new AppError(
    'INVALID_INPUT',
    `${file.name} isn't a PEM certificate. Convert a DER file with: openssl x509 -inform der -in FILE`,
  )
}
