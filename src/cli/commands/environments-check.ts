/** `countersign environments check`: tries an environment with one call that changes nothing. */
import type { Command } from 'commander'
import { printableText } from '../../shared/text/printable.ts'
import type { EnvironmentCheck } from '../../shared/model/environment.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { EXIT } from '../failure.ts'
import { levels } from '../../shared/model/outcomes.ts'
import { outcomeCell } from '../outcome-cell.ts'
import type { Output } from '../output.ts'
import { withKeptData } from '../session.ts'

interface CheckOptions extends DataOption {
  readonly json?: true
}

function printCheck(output: Output, { name, outcome, learned, status, body }: EnvironmentCheck): void {
  const { text, colour } = outcomeCell(levels[outcome], outcome)
  output.line(`${output.colour(text, colour ?? null)}  ${printableText(name)}`)
  for (const sentence of learned) output.line(`  ${printableText(sentence)}`)
  if (status === null) return
  output.line(`  Answer: ${status}`)
  for (const line of body === null || body === '' ? [] : body.trimEnd().split('\n')) output.line(`    ${printableText(line)}`)
}

export function addEnvironmentsCheck(environments: Command, context: CommandContext): void {
  environments
    .command('check')
    .summary('try an environment with a harmless call')
    .description(
      'Makes one call that changes nothing (it deletes a hook that does not exist), and says what was learned. It ends with 1 where the service was not reached, or refused the caller.',
    )
    .argument('[name]', 'name of the environment (default: the current one)')
    .option('--json', 'print one JSON object')
    .action(async (name: string | undefined, _own: unknown, command: Command) => {
      const options: CheckOptions = command.optsWithGlobals()
      const missing = name === undefined ? 'No environment is known yet' : `There is no environment "${name}"`
      await withKeptData(context, dataFolderOf(context, options), missing, async ({ client }) => {
        const check = await client.call('environments.check', { name })
        if (options.json === true) context.output.json(check)
        else printCheck(context.output, check)
        if (check.outcome === 'failed') context.exit(EXIT.no)
      })
    })
}
