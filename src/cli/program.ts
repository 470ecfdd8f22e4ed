/** The command line as a whole: every command, and what they have in common. */
import { Command, type CommandContext } from './context.ts'

const epilogue = `
Exit codes: 0 done; 1 the answer is "no" (a signature is not valid, a check failed, the time ran out);
2 wrong usage; 3 it could not be done, with one sentence that says why.
Data goes to standard output, everything else to standard error.
Environment: COUNTERSIGN_DATA (data folder), COUNTERSIGN_SECRET (secret of a hook),
COUNTERSIGN_KEY (secret key of an environment), COUNTERSIGN_CLIENT_SECRET, COUNTERSIGN_NGROK_TOKEN, NO_COLOR.`

/** Commands that have nothing more to do once nobody reads what they tell. */
const tellers: ReadonlySet<string> = new Set(['deliveries', 'wait', 'show', 'export', 'forward'])

/** Whether a command does nothing that counts but tell: the end of its reader is its own. */
export function onlyTells(name: string): boolean {
  return tellers.has(name)
}

type AddCommand = (command: Command, context: CommandContext) => void

interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** Loads the module that gives the command its options and its action. */
  readonly load: () => Promise<AddCommand>
}

/** Every command, in the order of the help page. A module is loaded only if its command runs: loading all takes four times as long. */
const commands: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'run the receiver, the sandbox and the app in the browser',
    load: async () => (await import('./commands/serve.ts')).addServe,
  },
  {
    name: 'open',
    summary: 'open the running app in your browser',
    load: async () => (await import('./commands/open.ts')).addOpen,
  },
  {
    name: 'deliveries',
    summary: 'list captured deliveries',
    load: async () => (await import('./commands/deliveries.ts')).addDeliveries,
  },
  { name: 'wait', summary: 'wait for deliveries', load: async () => (await import('./commands/wait.ts')).addWait },
  { name: 'show', summary: 'show one delivery', load: async () => (await import('./commands/show.ts')).addShow },
  { name: 'compare', summary: 'compare two deliveries', load: async () => (await import('./commands/compare.ts')).addCompare },
  {
    name: 'mark',
    summary: 'pin deliveries, or set a note or color',
    load: async () => (await import('./commands/mark.ts')).addMark,
  },
  { name: 'delete', summary: 'delete deliveries', load: async () => (await import('./commands/delete.ts')).addDelete },
  {
    name: 'views',
    summary: 'list, save and remove saved views',
    load: async () => (await import('./commands/views.ts')).addViews,
  },
  { name: 'export', summary: 'export stored deliveries', load: async () => (await import('./commands/export.ts')).addExport },
  { name: 'import', summary: 'import exported deliveries', load: async () => (await import('./commands/import.ts')).addImport },
  {
    name: 'verify',
    summary: 'verify a request, explain a digest, or print code that verifies',
    load: async () => (await import('./commands/verify.ts')).addVerify,
  },
  { name: 'sign', summary: 'sign a body as the service does', load: async () => (await import('./commands/sign.ts')).addSign },
  {
    name: 'replay',
    summary: 'send deliveries again with a fresh signature',
    load: async () => (await import('./commands/replay.ts')).addReplay,
  },
  {
    name: 'forward',
    summary: 'forward new deliveries to your endpoint',
    load: async () => (await import('./commands/forward.ts')).addForward,
  },
  {
    name: 'shrink',
    summary: 'find the smallest body that your handler still fails on',
    load: async () => (await import('./commands/shrink.ts')).addShrink,
  },
  {
    name: 'check',
    summary: 'check your handler against the spec',
    load: async () => (await import('./commands/check.ts')).addCheck,
  },
  {
    name: 'trigger',
    summary: 'make the sandbox send an event',
    load: async () => (await import('./commands/trigger.ts')).addTrigger,
  },
  {
    name: 'sandbox',
    summary: 'manage the objects and the clock of the sandbox',
    load: async () => (await import('./commands/sandbox.ts')).addSandbox,
  },
  { name: 'flow', summary: 'run test-mode flows', load: async () => (await import('./commands/flow.ts')).addFlow },
  { name: 'hooks', summary: 'register, change and list hooks', load: async () => (await import('./commands/hooks.ts')).addHooks },
  {
    name: 'environments',
    summary: 'add, change and list environments',
    load: async () => (await import('./commands/environments.ts')).addEnvironments,
  },
  {
    name: 'tunnel',
    summary: 'manage a public URL for the receiver',
    load: async () => (await import('./commands/tunnel.ts')).addTunnel,
  },
  {
    name: 'settings',
    summary: 'show or change settings',
    load: async () => (await import('./commands/settings.ts')).addSettings,
  },
  {
    name: 'compact',
    summary: 'free the disk space of deleted deliveries',
    load: async () => (await import('./commands/compact.ts')).addCompact,
  },
  { name: 'doctor', summary: 'check your setup', load: async () => (await import('./commands/doctor.ts')).addDoctor },
]

/** The command that the words name: the first that is no option, and after `help` the next. Undefined if no command has that name. */
function commandNamed(words: readonly string[]): string | undefined {
  const named = words.filter((word, index) => !word.startsWith('-') && words[index - 1] !== '--data')
  return named[0] === 'help' ? named[1] : named[0]
}

/** Where help and version go, and where what is wrong with the words is said. */
interface Say {
  readonly writeOut: (text: string) => void
  readonly writeErr: (text: string) => void
}

/**
 * Makes the program for the words after `countersign`. Without words every command is loaded; with them only the command they name,
 * and the others are known by name and summary. It throws instead of ending the process, so that everything is closed first.
 */
export async function createProgram(context: CommandContext, say: Say, words?: readonly string[]): Promise<Command> {
  const program = new Command('countersign')
    .description(
      'The webhook workbench for card-linked offers: receive, verify, explain and replay signed webhooks on your computer.',
    )
    // No letter of its own: a query may begin with a minus, and with any letter then.
    .version(context.version, '--version')
    .option('--data <dir>', 'data folder (default: COUNTERSIGN_DATA, else the application-data folder)')
    .exitOverride()
    .configureOutput(say)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(see --help)')
    .addHelpText('after', epilogue)
  for (const { name, summary, load } of commands) {
    const command = program.command(name).summary(summary)
    if (words === undefined || commandNamed(words) === name) (await load())(command, context)
  }
  return program
}
