/** `countersign delete`: deletes deliveries for good, by id or by a query. */
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { deliveryCount, possibleMatches } from '../../shared/text/counted.ts'
import { readDeliveryRefs, readOnce } from '../arguments.ts'
import { EXIT, UsageError } from '../failure.ts'
import { checkGivenQuery, addViewOption, searchOf, type ViewOption } from '../saved-view.ts'
import { noDataYet, NOTHING_CAPTURED, withExistingData } from '../session.ts'

interface DeleteOptions extends DataOption, ViewOption {
  readonly query?: string
  readonly yes?: true
  readonly pinned?: true
  readonly json?: true
}

export function addDelete(deleteCommand: Command, context: CommandContext): void {
  const deleting = deleteCommand
    .description(
      'Deletes deliveries for good. Pinned ones are spared. With --query or --view and without --yes nothing is deleted: it says how many would be, and ends with 2.',
    )
    .argument('[id...]', 'ids of deliveries, "latest", or "latest:EVENT"', readDeliveryRefs)
    .option('--query <query>', "delete all that match instead; '' for all", readOnce)
    .option('--yes', 'with --query or --view: really delete them')
    .option('--pinned', 'delete pinned ones too')
    .option('--json', 'print one JSON object')
    .run(async (ids: readonly string[], options: DeleteOptions) => {
      const { query, view } = options
      const searched = query !== undefined || view !== undefined
      if ((ids.length === 0) !== searched)
        throw new UsageError('Name the deliveries to delete by their ids, or with --query or --view; one of the two.')
      checkGivenQuery(context.output, query ?? '')
      const preview = searched && options.yes !== true
      const { output } = context
      const dataFolder = dataFolderOf(context, options)
      const found = await withExistingData(context, dataFolder, async ({ client }) =>
        client.call('deliveries.delete', {
          ...(searched ? { query: await searchOf(client, query ?? '', view) } : { ids: [...ids] }),
          pinned: options.pinned === true,
          final: true,
          preview,
        }),
      )
      if (found === null) output.note(noDataYet(NOTHING_CAPTURED, dataFolder))
      const { count, spared, possible } = found ?? { count: 0, spared: 0, possible: 0 }
      if (options.json === true) output.json({ deleted: preview ? 0 : count, matched: count, spared, possible })
      else if (!preview && found !== null) output.line(`Deleted ${deliveryCount(count)}.`)
      if (spared > 0)
        output.note(
          `Spared ${deliveryCount(spared)} that ${spared === 1 ? 'is' : 'are'} pinned (delete pinned ones too with --pinned).`,
        )
      if (possible > 0) output.note(`Left ${possibleMatches(possible)}. Add is:possible to the search to delete those.`)
      if (preview) throw new UsageError(`This would delete ${deliveryCount(count)}, which cannot be undone. Add --yes to do it.`)
      if (count === 0) context.exit(EXIT.no)
    })
  addViewOption(deleting)
}
