/** The `countersign` program: all commands and their common options. */
import { Command, type CommandContext } from './context.ts'

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
const tellers: ReadonlySet<string> = new Set(['deliveries', 'wait', 'show', 'export', 'forward'])

export function onlyTells(name: string): boolean {
  return tellers.has(name)
}

type AddCommand = (command: Command, context: CommandContext) => void

interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** Loads the module that adds options and action to the command. */
  readonly load: () => Promise<AddCommand>
}

/** Every command, in the order of the help page. Loading all modules takes four times as long as loading one. */
const commands: Readonly<Record<string, readonly CommandEntry[]>> = {
  Run: [
    {
      name: 'serve',
      summary: 'run the receiver, the sandbox and the app',
      load: async () => (await import('./commands/serve.ts')).addServe,
    },
    {
      name: 'open',
      summary: 'open the app in your browser',
      load: async () => (await import('./commands/open.ts')).addOpen,
    },
  ],
  Deliveries: [
    {
      name: 'deliveries',
      summary: 'list captured deliveries',
      load: async () => (await import('./commands/deliveries.ts')).addDeliveries,
    },
    {
      name: 'wait',
      summary: 'wait for new deliveries',
      load: async () => (await import('./commands/wait.ts')).addWait,
    },
    {
      name: 'stats',
      summary: 'count deliveries and their response times',
      load: async () => (await import('./commands/stats.ts')).addStats,
    },
    {
      name: 'show',
      summary: 'show a delivery',
      load: async () => (await import('./commands/show.ts')).addShow,
    },
    {
      name: 'compare',
      summary: 'compare two deliveries',
      load: async () => (await import('./commands/compare.ts')).addCompare,
    },
    {
      name: 'mark',
      summary: 'pin deliveries, or set a note',
      load: async () => (await import('./commands/mark.ts')).addMark,
    },
    {
      name: 'delete',
      summary: 'delete deliveries',
      load: async () => (await import('./commands/delete.ts')).addDelete,
    },
    {
      name: 'views',
      summary: 'manage saved views',
      load: async () => (await import('./commands/views.ts')).addViews,
    },
    {
      name: 'export',
      summary: 'export deliveries',
      load: async () => (await import('./commands/export.ts')).addExport,
    },
    {
      name: 'import',
      summary: 'import deliveries',
      load: async () => (await import('./commands/import.ts')).addImport,
    },
  ],
  Signatures: [
    {
      name: 'verify',
      summary: 'verify a signature, explain an invalid one, or write code that verifies',
      load: async () => (await import('./commands/verify.ts')).addVerify,
    },
    {
      name: 'sign',
      summary: 'sign a body as the service does',
      load: async () => (await import('./commands/sign.ts')).addSign,
    },
  ],
  'Your handler': [
    {
      name: 'handlers',
      summary: 'save your endpoints under a name',
      load: async () => (await import('./commands/handlers.ts')).addHandlers,
    },
    {
      name: 'replay',
      summary: 'replay deliveries, re-signed',
      load: async () => (await import('./commands/replay.ts')).addReplay,
    },
    {
      name: 'forward',
      summary: 'forward new deliveries to your endpoint',
      load: async () => (await import('./commands/forward.ts')).addForward,
    },
    {
      name: 'shrink',
      summary: 'find the smallest body that your handler fails on',
      load: async () => (await import('./commands/shrink.ts')).addShrink,
    },
    {
      name: 'check',
      summary: 'check your handler against the spec',
      load: async () => (await import('./commands/check.ts')).addCheck,
    },
  ],
  Sandbox: [
    {
      name: 'trigger',
      summary: 'trigger an event in the sandbox',
      load: async () => (await import('./commands/trigger.ts')).addTrigger,
    },
    {
      name: 'sandbox',
      summary: 'manage sandbox objects and the sandbox clock',
      load: async () => (await import('./commands/sandbox.ts')).addSandbox,
    },
    {
      name: 'flow',
      summary: 'run test-mode flows',
      load: async () => (await import('./commands/flow.ts')).addFlow,
    },
  ],
  Service: [
    {
      name: 'hooks',
      summary: 'manage hooks',
      load: async () => (await import('./commands/hooks.ts')).addHooks,
    },
    {
      name: 'environments',
      summary: 'manage environments (service accounts)',
      load: async () => (await import('./commands/environments.ts')).addEnvironments,
    },
    {
      name: 'tunnel',
      summary: 'manage the public URL',
      load: async () => (await import('./commands/tunnel.ts')).addTunnel,
    },
  ],
  'Data folder': [
    {
      name: 'settings',
      summary: 'show or change settings',
      load: async () => (await import('./commands/settings.ts')).addSettings,
    },
    {
      name: 'doctor',
      summary: 'check your setup',
      load: async () => (await import('./commands/doctor.ts')).addDoctor,
    },
  ],
}

/**
 * Finds the command in the arguments: the first word that isn't an option, or the second after `help`. Undefined if there is none.
 */
function commandNamed(words: readonly string[]): string | undefined {
  const named = words.filter(
    (word, index) => !word.startsWith('-') && words[index - 1] !== '--data',
  )
  return named[0] === 'help' ? named[1] : named[0]
}

/** Writers for help and for errors. */
interface Say {
  readonly writeOut: (text: string) => void
  readonly writeErr: (text: string) => void
}

/**
 * Creates the program. With `words`, loads only the module of their command; all others have only a name and a summary. Throws
 * instead of exiting, so that everything is closed first.
 */
export async function createProgram(
  context: CommandContext,
  say: Say,
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
    .example('Start Countersign and open the app', 'serve')
    .example(
      'Replay the latest delivery to your handler',
      'replay latest --to http://127.0.0.1:3000/webhooks',
    )
    .example('Check your handler', 'check http://127.0.0.1:3000/webhooks --secret-file secret.txt')
    .exitOverride()
    .configureOutput(say)
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .commandsGroup('Help:')
    .configureHelp({
      showGlobalOptions: true,
      commandDescription: (command) => (command as Command).helpText(),
    })
    .addHelpText('after', epilogue)
  for (const [group, entries] of Object.entries(commands)) {
    for (const { name, summary, load } of entries) {
      const command = program.command(name).summary(summary).helpGroup(`${group}:`)
      if (words === undefined || commandNamed(words) === name) (await load())(command, context)
    }
  }
  return program
}
