/** The `countersign` program: all commands and their common options. */
import { Command, optionTerm, type CommandDescription } from './command.ts'
import type { CommandContext } from './context.ts'

const epilogue = `
Exit codes:
  0  success
  1  negative result: a signature is invalid, a check failed, a wait timed out
  2  wrong usage
  3  failed, for example because a port is in use or a delivery is not found

Environment variables:
  COUNTERSIGN_DATA           data folder
  COUNTERSIGN_SECRET         hook secret
  COUNTERSIGN_KEY            secret key of an environment
  COUNTERSIGN_CLIENT_SECRET  client secret of an environment (bearer)
  NO_COLOR                   no colors`

/** Commands that only print, so they may stop once nobody reads their output. */
export const printingCommands: ReadonlySet<string> = new Set([
  'deliveries',
  'wait',
  'show',
  'export',
  'forward',
])

interface CommandEntry {
  readonly summary: string
  /** Loads the module that adds the command's options and its action. */
  load(): Promise<{ readonly add: CommandDescription }>
}

/**
 * Commands in the order of the help page, loaded one by one: loading all takes four times as long.
 */
const commands: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  Run: {
    serve: {
      summary: 'run the receiver, the sandbox and the app',
      load: () => import('./commands/serve.ts'),
    },
    open: { summary: 'open the app in your browser', load: () => import('./commands/open.ts') },
    mcp: {
      summary: 'serve tools for a coding agent (MCP)',
      load: () => import('./commands/mcp.ts'),
    },
  },
  Deliveries: {
    deliveries: {
      summary: 'list captured deliveries',
      load: () => import('./commands/deliveries.ts'),
    },
    wait: { summary: 'wait for new deliveries', load: () => import('./commands/wait.ts') },
    stats: {
      summary: 'count deliveries and their response times',
      load: () => import('./commands/stats.ts'),
    },
    show: { summary: 'show a delivery', load: () => import('./commands/show.ts') },
    compare: { summary: 'compare two deliveries', load: () => import('./commands/compare.ts') },
    mark: { summary: 'pin deliveries, or set a note', load: () => import('./commands/mark.ts') },
    delete: { summary: 'delete deliveries', load: () => import('./commands/delete.ts') },
    views: { summary: 'manage saved views', load: () => import('./commands/views.ts') },
    export: { summary: 'export deliveries', load: () => import('./commands/export.ts') },
    import: { summary: 'import deliveries', load: () => import('./commands/import.ts') },
  },
  Signatures: {
    verify: {
      summary: 'verify a signature, explain an invalid one, or write code that verifies',
      load: () => import('./commands/verify.ts'),
    },
    sign: { summary: 'sign a body as the service does', load: () => import('./commands/sign.ts') },
  },
  'Your handler': {
    handlers: {
      summary: 'save your endpoints under a name',
      load: () => import('./commands/handlers.ts'),
    },
    replay: { summary: 'replay deliveries, re-signed', load: () => import('./commands/replay.ts') },
    forward: {
      summary: 'forward new deliveries to your endpoint',
      load: () => import('./commands/forward.ts'),
    },
    shrink: {
      summary: 'find the smallest body that your handler fails on',
      load: () => import('./commands/shrink.ts'),
    },
    check: {
      summary: 'check your handler against the spec',
      load: () => import('./commands/check.ts'),
    },
    types: {
      summary: 'write payload types for your code',
      load: () => import('./commands/types.ts'),
    },
  },
  Sandbox: {
    trigger: {
      summary: 'trigger an event in the sandbox',
      load: () => import('./commands/trigger.ts'),
    },
    sandbox: {
      summary: 'manage sandbox objects and the sandbox clock',
      load: () => import('./commands/sandbox.ts'),
    },
    flow: { summary: 'run test-mode flows', load: () => import('./commands/flow.ts') },
  },
  Service: {
    hooks: { summary: 'manage hooks', load: () => import('./commands/hooks.ts') },
    environments: {
      summary: 'manage environments (service accounts)',
      load: () => import('./commands/environments.ts'),
    },
    tunnel: { summary: 'manage the public URL', load: () => import('./commands/tunnel.ts') },
  },
  'Data folder': {
    settings: { summary: 'show or change settings', load: () => import('./commands/settings.ts') },
    doctor: { summary: 'check your setup', load: () => import('./commands/doctor.ts') },
  },
  'Your shell': {
    completion: {
      summary: 'print the completion script for your shell',
      load: () => import('./commands/completion.ts'),
    },
  },
}

/** Finds the command's name: the first word that isn't an option, or the second after `help`. */
function commandNameIn(words: readonly string[]): string | undefined {
  const plainWords = words.filter(
    (word, index) => !word.startsWith('-') && words[index - 1] !== '--data',
  )
  return plainWords[0] === 'help' ? plainWords[1] : plainWords[0]
}

interface HelpWriters {
  readonly writeOut: (text: string) => void
  readonly writeErr: (text: string) => void
}

/**
 * Creates the program, with all parts of only the command in `words`. Throws instead of exiting.
 */
export async function createProgram(
  context: CommandContext,
  writers: HelpWriters,
  words?: readonly string[],
): Promise<Command> {
  const program = new Command('countersign')
    .description(
      'The webhook workbench for card-linked offers: receive, verify, explain and replay signed webhooks on your computer.',
    )
    // No short form: a query may begin with a minus and any letter.
    .version(context.version, '--version', 'print the version')
    .option(
      '--data <dir>',
      'data folder (default: COUNTERSIGN_DATA, then the application-data folder)',
    )
    .addExamples([
      ['Start Countersign and open the app', 'serve'],
      [
        'Replay the latest delivery to your handler',
        'replay latest --to http://127.0.0.1:3000/webhooks',
      ],
      ['Check your handler', 'check http://127.0.0.1:3000/webhooks --secret-file secret.txt'],
    ])
    .exitOverride()
    .configureOutput(writers)
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .commandsGroup('Help:')
    .configureHelp({
      showGlobalOptions: true,
      optionTerm,
      commandDescription: (command) => (command as Command).helpText(),
    })
    .addHelpText('after', epilogue)
  for (const [group, entries] of Object.entries(commands)) {
    for (const [name, { summary, load }] of Object.entries(entries)) {
      const command = program.command(name).summary(summary).helpGroup(`${group}:`)
      if (words === undefined || commandNameIn(words) === name) (await load()).add(command, context)
    }
  }
  return program
}
