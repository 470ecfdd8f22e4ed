/** Passphrase that encrypts a shareable capture. */
import { UsageError } from './context.ts'
import { readNamedFile } from './options/input-files.ts'
import { secretText } from './options/secret-options.ts'

/** Reads the file of `--passphrase-file`. Throws `UsageError` if it is empty. */
export function readPassphrase(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  const source = `--passphrase-file ${file}`
  const passphrase = secretText(readNamedFile(file), source)
  if (passphrase === '') throw new UsageError(`${source} is empty. It must contain a passphrase.`)
  return passphrase
}
