/** `countersign deliveries`: lists deliveries, newest first; with `--follow`, oldest first and then new ones. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  UsageError,
  NOTHING_CAPTURED,
  withExistingData,
  withInstance,
} from '../context.ts'
import { z } from 'zod'
import {
  MOST_SORTED,
  sortKeySchema,
  type Delivery,
  type SortKey,
} from '../../shared/model/delivery.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  readCount,
  readWith,
  addQueryOption,
  givenQuery,
  takeQuery,
  type QueryOption,
  checkGivenQuery,
  addViewOption,
  listedSearchOf,
  type ViewOption,
} from '../arguments.ts'
import { maskingUnless } from '../delivery-body.ts'
import { followDeliveries, fetchNewestSeq, sortedDeliveries } from '../delivery-feed.ts'
import { deliveryJson } from '../delivery-json.ts'
import { deliveryCells } from '../delivery-table.ts'
import { createColumns } from '../output.ts'

interface DeliveriesOptions extends DataOption, QueryOption, ViewOption {
  readonly limit: number
  readonly sort?: Sort
  readonly follow?: true
  readonly includeSecrets?: true
}

interface Sort {
  readonly by: SortKey
  readonly descending: boolean
}

const newestFirst: Sort = { by: 'time', descending: true }

const readSort = readWith<Sort>(
  () =>
    z
      .string()
      .transform((text) => ({ by: text.replace(/^-/, ''), descending: text.startsWith('-') }))
      .pipe(z.object({ by: sortKeySchema, descending: z.boolean() })),
  `${sortKeySchema.options.slice(0, -1).join(', ')} or ${sortKeySchema.options.at(-1)}, with - in front for descending`,
)

/** Prints one delivery per line; columns stay aligned between calls. */
export function createDeliveryPrinter(
  context: CommandContext,
  asJson: boolean,
): (deliveries: readonly Delivery[]) => void {
  const { output } = context
  const columns = createColumns(output)
  return (deliveries) => {
    if (asJson) for (const delivery of deliveries) output.json(deliveryJson(delivery))
    else output.lines(columns(deliveries.map(deliveryCells)))
  }
}

export function stoppedError(): AppError {
  return new AppError(
    'DISCONNECTED',
    'Countersign stopped, so no more deliveries can arrive. Restart it with "countersign serve".',
  )
}

export function add(command: Command, context: CommandContext): void {
  const listing = command
    .description(
      'List deliveries, newest first; imported ones count from their import. With --follow, list the last ones oldest first, then new ones as they arrive.',
    )
    .example(
      'List the last 10 invalid transaction deliveries',
      "deliveries 'event:transaction.* is:invalid' --limit 10",
    )
    .example(
      'Search by amount, field, time and text',
      "deliveries 'amount:<0 card.lastNumbers:4001 after:2h coffee'",
    )
    .example('Print new deliveries as JSON Lines', 'deliveries --follow --json', {
      notRun: 'runs until stopped',
    })
    .argument(
      '[query]',
      'search, for example: event:transaction.* is:invalid amount:<0 coffee (see docs/query.md)',
    )
    .option('--limit <n>', 'max number to list', readCount, 50)
    .option(
      '--sort <column>',
      `sort by a column, such as amount, or -amount for descending; up to ${MOST_SORTED.toLocaleString('en')} matches unless by time`,
      readSort,
    )
    .option('--follow', 'keep listing new deliveries until stopped; needs Countersign running')
    .option('--include-secrets', 'show credentials')
    .printsJson('lines')
    .run(async (query: string | undefined, options: DeliveriesOptions) => {
      const print = createDeliveryPrinter(context, options.json === true)
      const masked = maskingUnless(options.includeSecrets)
      const given = givenQuery(query, options) ?? ''
      // An invalid query is an error even if nothing is stored or running.
      checkGivenQuery(context.output, given)
      const { sort } = options
      if (options.follow === true) {
        if (sort !== undefined) throw new UsageError('Use either --follow or --sort.')
        await withInstance(context, options, 'Following deliveries', async (session) => {
          const search = await listedSearchOf(session.client, given, options.view, context.output)
          // Read first, so that deliveries arriving meanwhile are printed after the last ones, once.
          const known = await fetchNewestSeq(session.client)
          const last = await sortedDeliveries(session.client, {
            ...newestFirst,
            query: search,
            masked,
            limit: options.limit,
          })
          const shown = last.filter(({ seq }) => seq <= known).reverse()
          print(shown)
          const following = {
            query: search,
            masked,
            after: known,
            signal: new AbortController().signal,
          }
          await followDeliveries(session, following, (deliveries) => {
            print(deliveries)
            return false
          })
          throw stoppedError()
        })
        return
      }
      const found = await withExistingData(
        context,
        options,
        NOTHING_CAPTURED,
        async ({ client }) => {
          const wanted = {
            query: await listedSearchOf(client, given, options.view, context.output),
            masked,
            limit: options.limit,
          }
          return sortedDeliveries(client, { ...wanted, ...(sort ?? newestFirst) })
        },
      )
      if (found === null) return
      if (found.length === 0) context.output.note('No deliveries match.')
      else print(found)
    })
  takeQuery(addViewOption(addQueryOption(listing)))
}
