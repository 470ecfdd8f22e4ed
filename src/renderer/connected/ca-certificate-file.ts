/** CA certificate files, and why one is rejected. */
import { type UserFile, fileText } from '../ui-state/user-file.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { MOST_CA_CHARACTERS } from '../../shared/model/send.ts'

const PEM = '-----BEGIN CERTIFICATE-----'

/**
 * Returns the problem with a pasted CA certificate, judged by its length only; undefined without
 * one.
 */
export function authorityProblem(text: string): string | undefined {
  return text.length > MOST_CA_CHARACTERS
    ? `Too long: ${text.length.toLocaleString('en')} characters. A CA certificate has a few thousand, at most ${MOST_CA_CHARACTERS.toLocaleString('en')}.`
    : undefined
}

/** Reads a CA certificate file; rejects with `INVALID_INPUT` if it can't be one. */
export async function readAuthorityFile(file: Pick<UserFile, 'name' | 'pieces'>): Promise<string> {
  const tooLarge = new AppError(
    'INVALID_INPUT',
    `${file.name} is too large. A CA certificate file has a few thousand bytes, at most ${MOST_CA_CHARACTERS.toLocaleString('en')}.`,
  )
  const text = await fileText(file, MOST_CA_CHARACTERS, tooLarge)
  if (text.includes(PEM)) return text
  throw new AppError(
    'INVALID_INPUT',
    `${file.name} isn't a PEM certificate. Convert a DER file with: openssl x509 -inform der -in FILE`,
  )
}
