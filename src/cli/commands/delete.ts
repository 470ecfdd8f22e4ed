/** `countersign delete`: permanently deletes deliveries by ID or query. */
import { deliveryCount, possibleMatchCount } from '../../shared/text/english.ts'
import { storageCommands } from '../../shared/contract/nouns/storage.ts'
import { defineCommand } from '../command.ts'
import { EXIT, UsageError } from '../context.ts'
import { textOption, flagOption } from '../options/input.ts'
import { listedSearchOf, noteNoMatch, viewOption } from '../options/search-options.ts'
import { optionsOf } from '../options/field-options.ts'
import { idsOrQuery, deliveryIds } from '../options/delivery-arguments.ts'
import { NOTHING_CAPTURED } from '../session.ts'

export const add = defineCommand({
  description:
    'Delete deliveries permanently, except pinned ones. With a query or --view, confirm with --yes; without it, the matches are only counted.',
  exits: { 1: 'nothing was deleted', 2: '--yes is missing' },
  examples: [
    ['Delete a delivery', 'delete latest'],
    ['Delete all unsigned deliveries', 'delete --query is:unsigned --yes'],
  ],
  args: { ids: deliveryIds('[id...]', 'delivery', '; or one query') },
  options: {
    query: textOption('<query>', "the query, instead of the argument; '' matches all"),
    yes: flagOption('confirm deletion by a query or --view'),
    ...optionsOf(storageCommands['deliveries.delete'].input),
    ...viewOption,
  },
  async run(input, run) {
    const { findData, output } = run
    const { ids, query } = idsOrQuery(input)
    const { view, pinned } = input
    const searched = query !== undefined || view !== undefined
    if ((ids.length === 0) !== searched)
      throw new UsageError(
        ids.length === 0
          ? 'Nothing to delete. Add delivery IDs, --query or --view.'
          : 'Both delivery IDs and a query given. Use one of them.',
      )
    const preview = searched && !input.yes
    const session = await findData(NOTHING_CAPTURED)
    const deletion = await session?.client.call('deliveries.delete', {
      ...(searched
        ? { query: await listedSearchOf(session.client, { query, view }, output) }
        : { ids }),
      pinned,
      final: true,
      preview,
    })
    const { count, spared, possible } = deletion ?? { count: 0, spared: 0, possible: 0 }
    const result = { deleted: preview ? 0 : count, matched: count, spared, possible }
    output.result(result, () => {
      if (!preview && deletion !== undefined) output.line(`Deleted ${deliveryCount(count)}.`)
    })
    if (spared > 0)
      output.note(
        `Kept ${deliveryCount(spared)} ${spared === 1 ? 'that is' : 'that are'} pinned. Add --pinned to delete pinned deliveries too.`,
      )
    if (possible > 0)
      output.note(
        `Kept ${possibleMatchCount(possible)}. Add is:possible to the query to delete those.`,
      )
    if (searched && deletion !== undefined && count + spared + possible === 0)
      noteNoMatch(run, query ?? '', 'Nothing deleted.')
    else if (preview && deletion !== undefined)
      throw new UsageError(
        `This would permanently delete ${deliveryCount(count)}. Add --yes to confirm.`,
      )
    if (preview) return EXIT.usage
    return count === 0 ? EXIT.negative : EXIT.done
  },
})
