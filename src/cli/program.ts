/** The `countersign` program: all commands and their common options. */
import { fileURLToPath } from 'node:url'
import type { Command as CommanderCommand } from 'commander'
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

const entry = (summary: string, load: CommandEntry['load']): CommandEntry => ({ summary, load })

/**
 * Commands in the order of the help page, loaded one by one: loading all takes four times as long.
 */
const commands: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  Run: {
    serve: entry('run the receiver, the sandbox and the app', () => import('./commands/serve.ts')),
    open: entry('open the app in your browser', () => import('./commands/open.ts')),
    mcp: entry('serve tools for a coding agent (MCP)', () => import('./commands/mcp.ts')),
  },
  Deliveries: {
    deliveries: entry('list captured deliveries', () => import('./commands/deliveries.ts')),
    wait: entry('wait for new deliveries', () => import('./commands/wait.ts')),
    stats: entry('count deliveries and their response times', () => import('./commands/stats.ts')),
    drift: entry(
      'show fields of payloads, and what changed in them',
      () => import('./commands/drift.ts'),
    ),
    show: entry('show a delivery', () => import('./commands/show.ts')),
    compare: entry('compare two deliveries', () => import('./commands/compare.ts')),
    mark: entry('pin deliveries, or set a note', () => import('./commands/mark.ts')),
    delete: entry('delete deliveries', () => import('./commands/delete.ts')),
    views: entry('manage saved views', () => import('./commands/views.ts')),
    export: entry('export deliveries', () => import('./commands/export.ts')),
    import: entry('import deliveries', () => import('./commands/import.ts')),
  },
  Signatures: {
    verify: entry(
      'verify a signature, explain an invalid one, or write code that verifies',
      () => import('./commands/verify.ts'),
    ),
    sign: entry('sign a body as the service does', () => import('./commands/sign.ts')),
  },
  'Your handler': {
    handlers: entry('save your endpoints under a name', () => import('./commands/handlers.ts')),
    replay: entry('replay deliveries, re-signed', () => import('./commands/replay.ts')),
    send: entry('send any body, signed like the service', () => import('./commands/send.ts')),
    forward: entry(
      'forward new deliveries to your endpoint',
      () => import('./commands/forward.ts'),
    ),
    shrink: entry(
      'find the smallest body that your handler fails on',
      () => import('./commands/shrink.ts'),
    ),
    check: entry('check your handler against the spec', () => import('./commands/check.ts')),
    types: entry('write payload types for your code', () => import('./commands/types.ts')),
  },
  Sandbox: {
    trigger: entry('trigger an event in the sandbox', () => import('./commands/trigger.ts')),
    sandbox: entry(
      'manage sandbox objects and the sandbox clock',
      () => import('./commands/sandbox.ts'),
    ),
    flow: entry('run test-mode flows', () => import('./commands/flow.ts')),
  },
  Service: {
    hooks: entry('manage hooks', () => import('./commands/hooks.ts')),
    environments: entry(
      'manage environments: account, mode and URL',
      () => import('./commands/environments.ts'),
    ),
    tunnel: entry('manage the public URL', () => import('./commands/tunnel.ts')),
  },
  'Data folder': {
    apply: entry(
      'apply or write the setup file of a repository',
      () => import('./commands/apply.ts'),
    ),
    settings: entry('show or change settings', () => import('./commands/settings.ts')),
    backup: entry('back up the database', () => import('./commands/backup.ts')),
    restore: entry('restore a backup', () => import('./commands/restore.ts')),
    doctor: entry('check your setup', () => import('./commands/doctor.ts')),
  },
  'Your shell': {
    completion: entry(
      'print the completion script for your shell',
      () => import('./commands/completion.ts'),
    ),
  },
}

/** Finds the command's name: the first word that isn't an option, or the second after `help`. */
function commandNameIn(words: readonly string[]): string | undefined {
  const plainWords = words.filter(
    (word, index) => !word.startsWith('-') && words[index - 1] !== '--data',
  )
  return plainWords[0] === 'help' ? plainWords[1] : plainWords[0]
}

/** Returns where the pages are that a command's help names, which ship with the package. */
function docsNote(command: CommanderCommand, build: URL): string {
  if (command.parent !== null && !command.helpInformation().includes('docs/')) return ''
  return `\nDocumentation: ${fileURLToPath(new URL('../../docs', build))}`
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
      'data folder (default: COUNTERSIGN_DATA, then that of countersign.json, then the application-data folder)',
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
    .addHelpText('afterAll', ({ command }) => docsNote(command, context.build))
  for (const [group, entries] of Object.entries(commands)) {
    for (const [name, { summary, load }] of Object.entries(entries)) {
      const command = program.command(name).summary(summary).helpGroup(`${group}:`)
      if (words === undefined || commandNameIn(words) === name) (await load()).add(command, context)
    }
  }
  return program
}
