/** `countersign delete`: permanently deletes deliveries by ID or query. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  EXIT,
  UsageError,
  NOTHING_CAPTURED,
  withExistingData,
} from '../context.ts'
import { deliveryCount, possibleMatches } from '../../shared/text/counted.ts'
import {
  readDeliveryRefs,
  readOnce,
  idsOrQuery,
  type QueryOption,
  checkGivenQuery,
  addViewOption,
  listedSearchOf,
  type ViewOption,
} from '../arguments.ts'

interface DeleteOptions extends DataOption, QueryOption, ViewOption {
  readonly yes?: true
  readonly pinned?: true
}

export function add(command: Command, context: CommandContext): void {
  const deleting = command
    .description(
      'Delete deliveries permanently, except pinned ones. With a query or --view, confirm with --yes; without it, the matches are only counted.',
    )
    .exitsWith(1, 'nothing was deleted')
    .exitsWith(2, '--yes is missing')
    .example('Delete a delivery', 'delete latest')
    .example('Delete all unsigned deliveries', 'delete --query is:unsigned --yes')
    .argument(
      '[id...]',
      'delivery IDs (8 or more characters), latest, latest~N or latest:EVENT; or one query',
      readDeliveryRefs,
    )
    .option('--query <query>', "the query, instead of the argument; '' matches all", readOnce)
    .option('--yes', 'confirm deletion by a query or --view')
    .option('--pinned', 'delete pinned deliveries too')
    .printsJson()
    .run(async (words: readonly string[], options: DeleteOptions) => {
      const { ids, query } = idsOrQuery(words, options)
      const { view } = options
      const searched = query !== undefined || view !== undefined
      if ((ids.length === 0) !== searched)
        throw new UsageError('Use either delivery IDs or --query (or --view).')
      checkGivenQuery(context.output, query ?? '')
      const preview = searched && options.yes !== true
      const { output } = context
      const found = await withExistingData(context, options, NOTHING_CAPTURED, async ({ client }) =>
        client.call('deliveries.delete', {
          ...(searched
            ? { query: await listedSearchOf(client, query ?? '', view, output) }
            : { ids: [...ids] }),
          pinned: options.pinned === true,
          final: true,
          preview,
        }),
      )
      const { count, spared, possible } = found ?? { count: 0, spared: 0, possible: 0 }
      if (options.json === true)
        output.json({ deleted: preview ? 0 : count, matched: count, spared, possible })
      else if (!preview && found !== null) output.line(`Deleted ${deliveryCount(count)}.`)
      if (spared > 0)
        output.note(
          `Kept ${deliveryCount(spared)} ${spared === 1 ? 'that is' : 'that are'} pinned. Add --pinned to delete pinned deliveries too.`,
        )
      if (possible > 0)
        output.note(
          `Kept ${possibleMatches(possible)}. Add is:possible to the query to delete those.`,
        )
      if (preview)
        throw new UsageError(
          `This would permanently delete ${deliveryCount(count)}. Add --yes to confirm.`,
        )
      if (count === 0) context.exit(EXIT.no)
    })
  addViewOption(deleting)
}
