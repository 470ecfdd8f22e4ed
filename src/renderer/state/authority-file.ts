/** The file of a certificate authority: read where it can be one, and said in words what it is where it is not. */
import { AppError } from '../../shared/contract/errors.ts'
import { MOST_AUTHORITY } from '../../shared/model/target-ca.ts'

const PEM = '-----BEGIN CERTIFICATE-----'

/** What is wrong with the text of an authority whatever it says; undefined where nothing is. */
export function authorityProblem(text: string): string | undefined {
  return text.length > MOST_AUTHORITY
    ? `Too long: ${text.length.toLocaleString('en')} characters. A CA certificate has a few thousand, at most ${MOST_AUTHORITY.toLocaleString('en')}.`
    : undefined
}

/** Rejects with `INVALID_INPUT` where it cannot be an authority, and as the browser does where it cannot be read. */
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
    `${file.name} isn’t a PEM certificate. Convert a DER file with: openssl x509 -inform der -in FILE`,
  )
}
