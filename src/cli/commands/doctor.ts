/** `countersign doctor`: checks the set-up. Ends with 1 where a check failed; warnings do not fail it. */
import type { Command } from 'commander'
import type { DoctorCheck } from '../../shared/model/status.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { EXIT } from '../failure.ts'
import { createColumns, type Colour } from '../output.ts'
import { withExistingData } from '../session.ts'

interface DoctorOptions extends DataOption {
  readonly json?: true
}

const outcomeColours: Record<DoctorCheck['outcome'], Colour> = { ok: 'green', warning: 'yellow', failed: 'red' }

/** What there is to say where nothing was ever started: looking must not make a data folder. */
function checksOfNothing(context: CommandContext, dataFolder: string): DoctorCheck[] {
  return [
    {
      name: 'runtime',
      outcome: 'ok',
      message: `Countersign ${context.version} on Node ${process.versions.node} (${process.platform} ${process.arch}).`,
      fix: null,
    },
    {
      name: 'database',
      outcome: 'warning',
      message: `${dataFolder} holds no database yet.`,
      fix: 'It is made by the first "countersign serve".',
    },
  ]
}

export function addDoctor(doctorCommand: Command, context: CommandContext): void {
  doctorCommand
    .description('Checks the set-up, of the running instance where there is one. Ends with 1 where a check failed.')
    .option('--json', 'print one JSON object')
    .action(async (_own: unknown, command: Command) => {
      const options: DoctorOptions = command.optsWithGlobals()
      const { output } = context
      const dataFolder = dataFolderOf(context, options)
      const answer = await withExistingData(context, dataFolder, ({ client }) => client.call('doctor.run', {}))
      const checks = answer?.checks ?? checksOfNothing(context, dataFolder)
      if (options.json === true) {
        output.json({ checks })
      } else {
        const columns = createColumns(output)
        const rows = checks.map(({ name, outcome, message, fix }) => [
          { text: outcome, colour: outcomeColours[outcome] },
          { text: name },
          { text: fix === null ? message : `${message} ${fix}` },
        ])
        for (const line of columns(rows)) output.line(line)
      }
      context.exit(checks.some(({ outcome }) => outcome === 'failed') ? EXIT.no : EXIT.done)
    })
}
