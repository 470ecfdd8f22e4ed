/** `countersign hooks repoint`: moves the hooks under one address to another, as when a tunnel has got a new name. */
import type { Command } from 'commander'
import type { OutputOf } from '../../shared/contract/contract.ts'
import { printableText } from '../../shared/text/printable.ts'
import { noteWarnings, type PrintOptions } from '../changed-hook.ts'
import { dataFolderOf, type CommandContext } from '../context.ts'
import { EXIT } from '../failure.ts'
import { hookJson } from '../hook-json.ts'
import { createColumns, type Cell } from '../output.ts'
import { calls } from '../../shared/model/outcomes.ts'
import { outcomeCell } from '../outcome-cell.ts'
import { withExistingData } from '../session.ts'

interface RepointOptions extends PrintOptions {
  readonly live?: true
}

type Moved = OutputOf<'hooks.repoint'>['moved'][number]

function movedCells({ hook, problem }: Moved): Cell[] {
  return [
    outcomeCell(calls[problem === null ? 'done' : 'failed']),
    { text: hook.event },
    { text: hook.environment },
    { text: hook.url },
    { text: hook.id, colour: 'grey' },
  ]
}

export function addHooksRepoint(hooks: Command, context: CommandContext): void {
  hooks
    .command('repoint')
    .summary('move hooks from one address to another')
    .description(
      'Changes every active hook whose URL lies under an address to the same path under another one, at the service of each. One that is refused keeps its URL, and the code is 3.',
    )
    .argument('<from>', 'address that they lie under, for example https://old.tunnel.example')
    .argument('<to>', 'address that they are to lie under')
    .option('--live', 'agree to changing live environments')
    .option('--json', 'print one JSON object a line')
    .action(async (from: string, to: string, _own: unknown, command: Command) => {
      const options: RepointOptions = command.optsWithGlobals()
      const { output } = context
      const result = await withExistingData(context, dataFolderOf(context, options), ({ client }) =>
        client.call('hooks.repoint', { from, to, live: options.live }),
      )
      const moved = result?.moved ?? []
      if (moved.length === 0) output.note(printableText(`No active hook lies under ${from}.`))
      if (options.json === true)
        for (const { hook, problem, warnings } of moved) output.json({ ...hookJson(hook, undefined), problem, warnings })
      else for (const line of createColumns(output)(moved.map(movedCells))) output.line(line)
      // What is the matter with the address is the matter with every hook there: it is said once.
      const told = new Map(moved.flatMap(({ warnings }) => warnings).map((warning) => [warning.message, warning]))
      noteWarnings(output, [...told.values()])
      for (const { hook, problem } of moved) if (problem !== null) output.note(printableText(`${hook.id}: ${problem}`))
      if (moved.some(({ problem }) => problem !== null)) context.exit(EXIT.failed)
    })
}
