/** The command line as a whole: every command, and what they have in common. */
import { Command } from 'commander'
import { addCheck } from './commands/check.ts'
import { addCompact } from './commands/compact.ts'
import { addCompare } from './commands/compare.ts'
import { addDelete } from './commands/delete.ts'
import { addDeliveries } from './commands/deliveries.ts'
import { addDoctor } from './commands/doctor.ts'
import { addEnvironmentsAdd } from './commands/environments-add.ts'
import { addEnvironmentsCheck } from './commands/environments-check.ts'
import { addEnvironmentsList } from './commands/environments-list.ts'
import { addEnvironmentsRemove } from './commands/environments-remove.ts'
import { addEnvironmentsUpdate } from './commands/environments-update.ts'
import { addEnvironmentsUse } from './commands/environments-use.ts'
import { addExport } from './commands/export.ts'
import { addFlow } from './commands/flow.ts'
import { addForward } from './commands/forward.ts'
import { addHooksAdd } from './commands/hooks-add.ts'
import { addHooksEnv } from './commands/hooks-env.ts'
import { addHooksImport } from './commands/hooks-import.ts'
import { addHooksList } from './commands/hooks-list.ts'
import { addHooksRemove } from './commands/hooks-remove.ts'
import { addHooksRepoint } from './commands/hooks-repoint.ts'
import { addHooksRotate } from './commands/hooks-rotate.ts'
import { addHooksUpdate } from './commands/hooks-update.ts'
import { addImport } from './commands/import.ts'
import { addMark } from './commands/mark.ts'
import { addOpen } from './commands/open.ts'
import { addReplay } from './commands/replay.ts'
import { addSandbox } from './commands/sandbox.ts'
import { addServe } from './commands/serve.ts'
import { addSettings } from './commands/settings.ts'
import { addShow } from './commands/show.ts'
import { addShrink } from './commands/shrink.ts'
import { addSign } from './commands/sign.ts'
import { addTrigger } from './commands/trigger.ts'
import { addTunnel } from './commands/tunnel.ts'
import { addVerify } from './commands/verify.ts'
import { addViews } from './commands/views.ts'
import { addWait } from './commands/wait.ts'
import type { CommandContext } from './context.ts'

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

function addHooks(program: Command, context: CommandContext): void {
  const hooks = program
    .command('hooks')
    .summary('register, change and list hooks')
    .description('Works with hooks and their secrets.')
  addHooksList(hooks, context)
  addHooksAdd(hooks, context)
  addHooksUpdate(hooks, context)
  addHooksRemove(hooks, context)
  addHooksRotate(hooks, context)
  addHooksRepoint(hooks, context)
  addHooksImport(hooks, context)
  addHooksEnv(hooks, context)
}

function addEnvironments(program: Command, context: CommandContext): void {
  const environments = program
    .command('environments')
    .summary('add, change and list environments')
    .description('Works with service accounts.')
  addEnvironmentsList(environments, context)
  addEnvironmentsAdd(environments, context)
  addEnvironmentsUpdate(environments, context)
  addEnvironmentsUse(environments, context)
  addEnvironmentsCheck(environments, context)
  addEnvironmentsRemove(environments, context)
}

/** Where help and version go, and where what is wrong with the words is said. */
interface Say {
  readonly writeOut: (text: string) => void
  readonly writeErr: (text: string) => void
}

/** Makes the program; it throws instead of ending the process, so that everything is closed first. */
export function createProgram(context: CommandContext, say: Say): Command {
  const program = new Command('countersign')
    .description(
      'The webhook workbench for card-linked offers: receive, prove, explain and replay signed webhooks on your machine.',
    )
    // No letter of its own: a query may begin with a minus, and with any letter then.
    .version(context.version, '--version')
    .option('--data <dir>', 'data folder (default: COUNTERSIGN_DATA, else the application-data folder)')
    .exitOverride()
    .configureOutput(say)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(see --help)')
    .addHelpText('after', epilogue)
  addServe(program, context)
  addOpen(program, context)
  addDeliveries(program, context)
  addWait(program, context)
  addShow(program, context)
  addCompare(program, context)
  addMark(program, context)
  addDelete(program, context)
  addViews(program, context)
  addExport(program, context)
  addImport(program, context)
  addVerify(program, context)
  addSign(program, context)
  addReplay(program, context)
  addForward(program, context)
  addShrink(program, context)
  addCheck(program, context)
  addTrigger(program, context)
  addSandbox(program, context)
  addFlow(program, context)
  addHooks(program, context)
  addEnvironments(program, context)
  addTunnel(program, context)
  addSettings(program, context)
  addCompact(program, context)
  addDoctor(program, context)
  return program
}
