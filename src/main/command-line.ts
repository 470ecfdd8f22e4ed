/**
 * Parses the options of `countersign serve`, and the links and files to open; ignores everything
 * else, such as Chromium's switches.
 */
import { parseArgs } from 'node:util'
import { AppError } from '../shared/contract/errors.ts'
import { isLink } from './open-requests.ts'

const text = { type: 'string' } as const
const options = {
  data: text,
  'receiver-port': text,
  'receiver-http-port': text,
  'sandbox-port': text,
  // Only `serve` uses it, but its value isn't a file to open.
  'ui-port': text,
  'self-test': { type: 'boolean' },
} as const

/**
 * Parses the arguments up to a link: a web page could add options after it. Throws `INVALID_INPUT`.
 * @returns `toOpen`: links and files
 */
export function readCommandLine(
  argv: readonly string[],
  { isPackaged }: { readonly isPackaged: boolean },
) {
  const link = argv.findIndex(isLink)
  const args = argv.slice(1, link === -1 ? argv.length : link)
  const { values, positionals } = parseArgs({ args, options, strict: false })
  const selfTest = values['self-test'] !== undefined
  // A self-test ignores other options: it uses free ports and a temporary folder.
  const usedValues: typeof values = selfTest
    ? { 'receiver-port': '0', 'sandbox-port': '0' }
    : values

  const valueOf = (name: keyof typeof options): string | undefined => {
    const value = usedValues[name]
    if (value === true || String(value).startsWith('--'))
      throw new AppError('INVALID_INPUT', `--${name} needs a value.`)
    return value?.toString()
  }
  const portOf = (name: keyof typeof options): number | undefined => {
    const value = valueOf(name)
    if (value !== undefined && (!/^\d+$/.test(value) || Number(value) > 65_535))
      throw new AppError(
        'INVALID_INPUT',
        `--${name} must be a port from 0 (any free port) to 65535, not "${value}".`,
      )
    return value === undefined ? undefined : Number(value)
  }
  return {
    selfTest,
    data: valueOf('data'),
    ports: {
      receiverPort: portOf('receiver-port'),
      receiverHttpPort: portOf('receiver-http-port'),
      sandboxPort: portOf('sandbox-port'),
    },
    toOpen: [
      ...positionals.slice(isPackaged ? 0 : 1),
      ...argv.filter((_, place) => place === link),
    ],
  }
}
