/** `countersign delete`: deletes deliveries for good, by id or by a query. */
import type { Command } from 'commander'
import { deliveryCount } from '../../shared/delivery-count.ts'
import { parseQuery } from '../../shared/query/parse.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { EXIT, UsageError } from '../failure.ts'
import { withCore } from '../session.ts'

interface DeleteOptions extends DataOption {
  readonly query?: string
  readonly yes?: true
  readonly pinned?: true
  readonly json?: true
}

export function addDelete(program: Command, context: CommandContext): void {
  program
    .command('delete')
    .summary('delete deliveries')
    .description(
      'Deletes deliveries for good. Pinned ones are spared. With --query and without --yes nothing is deleted: it says how many would be, and ends with 2.',
    )
    .argument('[id...]', 'ids of deliveries, "latest", or "latest:EVENT"')
    .option('--query <query>', "delete all that match instead; '' for all")
    .option('--yes', 'with --query: really delete them')
    .option('--pinned', 'delete pinned ones too')
    .option('--json', 'print one JSON object')
    .action(async (ids: readonly string[], _own: unknown, command: Command) => {
      const options: DeleteOptions = command.optsWithGlobals()
      if ((ids.length === 0) === (options.query === undefined))
        throw new UsageError('Name the deliveries to delete by their ids, or with --query; one of the two.')
      if (options.query !== undefined) parseQuery(options.query)
      const preview = options.query !== undefined && options.yes !== true
      const { output } = context
      const { count, spared } = await withCore(context, dataFolderOf(context, options), ({ client }) =>
        client.call('deliveries.delete', {
          ...(options.query === undefined ? { ids: [...ids] } : { query: options.query }),
          pinned: options.pinned === true,
          final: true,
          preview,
        }),
      )
      if (options.json === true) output.json({ deleted: preview ? 0 : count, matched: count, spared })
      else if (!preview) output.line(`Deleted ${deliveryCount(count)}.`)
      if (spared > 0)
        output.note(
          `Spared ${deliveryCount(spared)} that ${spared === 1 ? 'is' : 'are'} pinned (delete pinned ones too with --pinned).`,
        )
      if (preview) throw new UsageError(`This would delete ${deliveryCount(count)}, which cannot be undone. Add --yes to do it.`)
      if (count === 0) context.exit(EXIT.no)
    })
}
