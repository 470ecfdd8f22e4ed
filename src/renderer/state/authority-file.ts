/** Reads a CA certificate file and explains why one is rejected. */
import { AppError } from '../../shared/contract/errors.ts'
import { MOST_AUTHORITY } from '../../shared/model/send.ts'
import { fileText, type UserFile } from './user-file.ts'

const PEM = '-----BEGIN CERTIFICATE-----'

/** The problem with a pasted CA certificate, judged by its length only; undefined if there is none. */
export function authorityProblem(text: string): string | undefined {
  return text.length > MOST_AUTHORITY
    ? `Too long: ${text.length.toLocaleString('en')} characters. A CA certificate has a few thousand, at most ${MOST_AUTHORITY.toLocaleString('en')}.`
    : undefined
}

/** Rejects with `INVALID_INPUT` if the file can't be a certificate, or with the host's error if it can't be read. */
export async function readAuthorityFile(file: Pick<UserFile, 'name' | 'pieces'>): Promise<string> {
  const tooLarge = new AppError(
    'INVALID_INPUT',
    `${file.name} is too large. A CA certificate file has a few thousand bytes, at most ${MOST_AUTHORITY.toLocaleString('en')}.`,
  )
  const text = await fileText(file, MOST_AUTHORITY, tooLarge)
  if (text.includes(PEM)) return text
  throw new AppError(
    'INVALID_INPUT',
    `${file.name} isn't a PEM certificate. Convert a DER file with: openssl x509 -inform der -in FILE`,
  )
}
