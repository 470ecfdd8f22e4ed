/** The option for a body, from a file or standard input. */
import { UsageError } from '../context.ts'
import { nonBlankOption, type ValuesOf } from './input.ts'
import {
  type InputSource,
  STANDARD_INPUT,
  readNamedFile,
  readStandardInput,
} from './input-files.ts'
import { type SecretValues, readSecret } from './secret-options.ts'

export const bodyOption = {
  body: nonBlankOption('<file>', 'file with the exact body; - for standard input (default)'),
}

type BodyValue = Partial<ValuesOf<typeof bodyOption>>

/** Reads the body. Throws `UsageError` if it would come from a terminal. */
export async function readBodyOption(
  context: InputSource,
  { body }: BodyValue,
): Promise<Uint8Array> {
  if (body !== undefined && body !== STANDARD_INPUT) return readNamedFile(body)
  if (body === undefined && context.stdin.isTTY === true) {
    throw new UsageError('The body is missing. Use --body FILE or standard input.')
  }
  return readStandardInput(context)
}

/**
 * Reads body and secret. Throws `UsageError` if both would come from standard input, or the body
 * from a terminal.
 */
export async function readBodyAndSecret(
  context: InputSource,
  options: SecretValues & BodyValue,
): Promise<{ readonly body: Uint8Array; readonly secret: string }> {
  const fromInput = options.body === undefined || options.body === STANDARD_INPUT
  if (fromInput && options.secret === STANDARD_INPUT) {
    throw new UsageError(
      "The secret and the body can't both come from standard input. Use --body FILE.",
    )
  }
  const secret = await readSecret(context, options)
  return { secret, body: await readBodyOption(context, options) }
}
