/** Secrets from options, files, environment variables or standard input. */
import { handlerNameIn } from '../../shared/http.ts'
import { UsageError } from '../context.ts'
import { textOption, nonBlankOption } from './input.ts'
import {
  type InputSource,
  readNamedFile,
  STANDARD_INPUT,
  readStandardInput,
} from './input-files.ts'

/** Secrets that options name: a hook's, and an account's by its kind of authentication. */
const secrets = {
  secret: { option: '--secret', variable: 'COUNTERSIGN_SECRET', name: 'hook secret' },
  key: { option: '--key', variable: 'COUNTERSIGN_KEY', name: 'secret key' },
  clientSecret: {
    option: '--client-secret',
    variable: 'COUNTERSIGN_CLIENT_SECRET',
    name: 'client secret',
  },
} as const
type SecretName = keyof typeof secrets
export type SecretValues = Readonly<
  Partial<Record<SecretName | `${SecretName}File`, string | undefined>>
>

const fromVariable = (name: SecretName) => ` (default: ${secrets[name].variable})`

export const secretOptions = {
  secret: textOption(
    '<secret>',
    `hook secret; - reads it from standard input${fromVariable('secret')}`,
  ).conflicts('secretFile'),
  secretFile: nonBlankOption('<file>', 'file with the secret'),
}

/**
 * Returns the options for an account's secrets.
 * @param withVariables whether environment variables are their defaults
 */
export function accountSecretOptions({ withVariables }: { readonly withVariables: boolean }) {
  const otherwise = (name: SecretName) => (withVariables ? fromVariable(name) : '')
  return {
    key: textOption(
      '<key>',
      `secret key (sk…); - reads it from standard input${otherwise('key')}`,
    ).conflicts('keyFile'),
    keyFile: nonBlankOption('<file>', 'file with the secret key'),
    clientSecret: textOption(
      '<secret>',
      `bearer: client secret; - reads it from standard input${otherwise('clientSecret')}`,
    ).conflicts('clientSecretFile'),
    clientSecretFile: nonBlankOption('<file>', 'file with the client secret'),
  }
}

const byteOrderMarks = [
  { mark: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
] as const

/**
 * Decodes a secret in UTF-8, or in UTF-16 with a byte order mark, as PowerShell writes it.
 * Throws `UsageError` for anything else, which would verify nothing.
 */
export function secretText(bytes: Buffer, source: string): string {
  const encoding =
    byteOrderMarks.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte))
      ?.encoding ?? 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    // Almost any bytes are UTF-16, so only ASCII shows that text is meant.
    const isText = encoding === 'utf-8' ? !text.includes('\0') : /^[\t\n\r -~]*$/.test(text)
    if (isText) return text.replace(/\r?\n$/, '')
  } catch {
    // Reported below.
  }
  throw new UsageError(
    `${source} isn't UTF-8 text. Save the secret as UTF-8, without anything else.`,
  )
}

/**
 * Reads a secret from its option or file; undefined if neither is given. Throws `UsageError` for an
 * empty one.
 */
export async function readGivenSecret(
  context: InputSource,
  values: SecretValues,
  secret: SecretName = 'secret',
): Promise<string | undefined> {
  const { option, name } = secrets[secret]
  const file = values[`${secret}File`]
  const [source, value] =
    file !== undefined
      ? [`${option}-file ${file}`, secretText(readNamedFile(file), `${option}-file ${file}`)]
      : values[secret] === STANDARD_INPUT
        ? ['Standard input', secretText(await readStandardInput(context), 'Standard input')]
        : [option, values[secret]]
  if (value === '') throw new UsageError(`${source} is empty. It must contain a ${name}.`)
  return value
}

/**
 * Reads a secret from its option, file or variable. Throws `UsageError` if it is missing or empty.
 */
export async function readSecret(
  context: InputSource,
  values: SecretValues,
  secret: SecretName = 'secret',
  alternatives: readonly string[] = [],
): Promise<string> {
  const { option, variable, name } = secrets[secret]
  const value = (await readGivenSecret(context, values, secret)) ?? context.env[variable]
  if (value === undefined)
    throw new UsageError(
      `Missing ${name}. Use ${[...alternatives, option, `${option}-file`].join(', ')} or ${variable}.`,
    )
  if (value === '') throw new UsageError(`${variable} is empty. Set it, or use ${option}.`)
  return value
}

/** Reads an endpoint's secret: a saved handler has its own, unless an option gives another. */
export async function readEndpointSecret(
  context: InputSource,
  endpoint: string,
  { hookIds, ...values }: SecretValues & { readonly hookIds: readonly string[] },
): Promise<string | undefined> {
  return handlerNameIn(endpoint) === null && hookIds.length === 0
    ? readSecret(context, values, 'secret', ['--hook'])
    : readGivenSecret(context, values)
}

/** Reads changed secrets. Ignores the variables, so a secret stays unless an option is given. */
export async function readChangedSecrets(context: InputSource, values: SecretValues) {
  if (values.key === STANDARD_INPUT && values.clientSecret === STANDARD_INPUT)
    throw new UsageError("The key and the client secret can't both come from standard input.")
  return {
    key: await readGivenSecret(context, values, 'key'),
    clientSecret: await readGivenSecret(context, values, 'clientSecret'),
  }
}
