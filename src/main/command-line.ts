/**
 * Parses the command line of the desktop app: the same options as `countersign serve`. It ignores everything else, such as
 * Chromium's switches.
 */

/** Options followed by a value, those that only `serve` uses included. */
export const VALUE_OPTIONS: readonly string[] = [
  '--data',
  '--receiver-port',
  '--receiver-http-port',
  '--sandbox-port',
  '--ui-port',
]

export interface CommandLine {
  /** The folder from `--data`, as written. */
  readonly data?: string
  /** Opens the app on a temporary folder, checks it and quits (self-test.ts). Users don't need it. */
  readonly selfTest: boolean
  readonly ports: {
    readonly receiverPort?: number
    readonly receiverHttpPort?: number
    readonly sandboxPort?: number
  }
}

/** An invalid command line; the message is for the user. */
export class CommandLineError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CommandLineError'
  }
}

function valueOf(argv: readonly string[], name: string): string | undefined {
  for (const [index, word] of argv.entries()) {
    if (word.startsWith(`${name}=`)) return word.slice(name.length + 1)
    if (word !== name) continue
    const next = argv[index + 1]
    if (next === undefined || next.startsWith('--'))
      throw new CommandLineError(`${name} needs a value.`)
    return next
  }
  return undefined
}

function portOf(argv: readonly string[], name: string): number | undefined {
  const text = valueOf(argv, name)
  if (text === undefined) return undefined
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new CommandLineError(
      `${name} must be a port from 0 (any free port) to 65535, not "${text}".`,
    )
  return port
}

/**
 * Throws `CommandLineError` if a value is missing or isn't a port. Nothing after a link counts: a page could have put options into a
 * link with a quotation mark.
 */
export function readCommandLine(given: readonly string[]): CommandLine {
  const link = given.findIndex((word) => /^countersign:/i.test(word))
  const argv = link === -1 ? given : given.slice(0, link)
  // On free ports and without the user's folder, whatever else is given.
  if (argv.includes('--self-test'))
    return { selfTest: true, ports: { receiverPort: 0, sandboxPort: 0 } }
  const data = valueOf(argv, '--data')
  const receiverPort = portOf(argv, '--receiver-port')
  const receiverHttpPort = portOf(argv, '--receiver-http-port')
  const sandboxPort = portOf(argv, '--sandbox-port')
  return {
    ...(data === undefined ? {} : { data }),
    selfTest: false,
    ports: {
      ...(receiverPort === undefined ? {} : { receiverPort }),
      ...(receiverHttpPort === undefined ? {} : { receiverHttpPort }),
      ...(sandboxPort === undefined ? {} : { sandboxPort }),
    },
  }
}
