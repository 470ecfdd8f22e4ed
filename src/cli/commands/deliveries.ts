/**
 * `countersign deliveries`: lists deliveries, newest first; with `--follow`, oldest first and then
 * new ones.
 */
import { z } from 'zod'
import {
  MOST_SORTED,
  sortKeySchema,
  type Delivery,
  type SortKey,
} from '../../shared/model/delivery.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { listed } from '../../shared/text/english.ts'
import { listColumnsSchema, MOST_LIST_COLUMNS } from '../../shared/model/body-columns.ts'
import { defineCommand, JSON_LINES } from '../command.ts'
import { followDeliveries, fetchNewestSeq, sortedDeliveries } from '../delivery-feed.ts'
import { cellsWithColumns, noteUnknownColumns, withColumnValues } from '../delivery-columns.ts'
import { flagOption, parsedOption } from '../options/input.ts'
import { listedSearchOf, noteNoMatch, searchOptions } from '../options/search-options.ts'
import { columnsOption } from '../options/columns-option.ts'
import { queryArgument } from '../options/delivery-arguments.ts'
import { readCount, readWith } from '../options/value-readers.ts'
import { NOTHING_CAPTURED } from '../session.ts'

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
  `${listed(sortKeySchema.options, 'or')}, with - in front for descending`,
)

export const add = defineCommand({
  description:
    'List deliveries, newest first; imported ones by the time of their import. With --follow, list the last ones oldest first, then new ones as they arrive.',
  examples: [
    [
      'List the last 10 invalid transaction deliveries',
      "deliveries 'event:transaction.* is:invalid' --limit 10",
    ],
    [
      'Search by amount, field, time and text',
      "deliveries 'amount:<0 card.lastNumbers:4001 after:2h coffee'",
    ],
    [
      'Show values of the body as columns',
      'deliveries --columns amount,card.lastNumbers,brand.name',
    ],
    [
      'Print new deliveries as JSON Lines',
      'deliveries --follow --json',
      { notRun: 'runs until stopped' },
    ],
  ],
  args: {
    query: queryArgument(
      '[query]',
      'search, for example: event:transaction.* is:invalid amount:<0 coffee (see docs/query.md)',
    ),
  },
  json: JSON_LINES,
  options: {
    limit: parsedOption('<n>', 'max number to list', readCount).default(50),
    sort: parsedOption(
      '<column>',
      `sort by a column, such as amount, or -amount for descending; up to ${MOST_SORTED.toLocaleString('en')} matches unless by time`,
      readSort,
    ),
    follow: flagOption(
      'keep listing new deliveries until stopped; needs Countersign running',
    ).conflicts('sort'),
    columns: columnsOption(
      `values of the body to show, up to ${MOST_LIST_COLUMNS} JSON paths separated by commas`,
      listColumnsSchema,
    ),
    includeSecrets: flagOption('show credentials'),
    ...searchOptions,
  },
  async run(input, run) {
    const { findData, needRunning, output } = run
    const { limit, sort = newestFirst, columns = [] } = input
    const print = output.printer(cellsWithColumns)
    const withColumns = (client: Client, deliveries: readonly Delivery[]) =>
      withColumnValues(client, deliveries, columns)
    const printFirst = async (client: Client, deliveries: readonly Delivery[]) => {
      const rows = await withColumns(client, deliveries)
      const empty = columns.filter((path) => rows.every((row) => row.columns?.[path] == null))
      await noteUnknownColumns(client, empty, output)
      print(rows)
    }
    if (input.follow) {
      const session = await needRunning('Following deliveries')
      const query = await listedSearchOf(session.client, input, output)
      // Read first, so that deliveries that arrive meanwhile are printed once, after the others.
      const after = await fetchNewestSeq(session.client)
      const last = await sortedDeliveries(session.client, { ...sort, query, limit })
      const shown = last.filter(({ seq }) => seq <= after).reverse()
      await printFirst(session.client, shown)
      await followDeliveries(session, { query, after }, async (deliveries) => {
        print(await withColumns(session.client, deliveries))
        return false
      })
      return
    }
    const session = await findData(NOTHING_CAPTURED)
    if (session === null) return
    const query = await listedSearchOf(session.client, input, output)
    const sorted = await sortedDeliveries(session.client, { ...sort, query, limit })
    if (sorted.length === 0) noteNoMatch(run, query)
    else await printFirst(session.client, sorted)
  },
})
