/** Listed deliveries with columns from their bodies. */
import type { Delivery } from '../shared/model/delivery.ts'
import { splitPath } from '../shared/body/json-path.ts'
import { likelyNames } from '../shared/query/problem.ts'
import { printPath } from '../shared/query/term-name.ts'
import type { Client } from '../shared/rpc/client.ts'
import { deliveryCells } from './delivery-table.ts'
import type { Cell, Output } from './print.ts'

type WithColumns = Delivery & { readonly columns?: Readonly<Record<string, string | null>> }

/** Bodies per call. */
const PAGE_SIZE = 100

/** Adds the values at JSON paths; without paths, nothing. */
export async function withColumnValues(
  client: Client,
  deliveries: readonly Delivery[],
  paths: readonly string[],
): Promise<readonly WithColumns[]> {
  if (paths.length === 0) return deliveries
  const bySeq = new Map<number, readonly (string | null)[]>()
  for (let start = 0; start < deliveries.length; start += PAGE_SIZE) {
    const seqs = deliveries.slice(start, start + PAGE_SIZE).map(({ seq }) => seq)
    const { rows } = await client.call('deliveries.values', { seqs, paths: [...paths] })
    for (const { seq, values } of rows) bySeq.set(seq, values)
  }
  return deliveries.map((delivery) => ({
    ...delivery,
    columns: Object.fromEntries(
      paths.map((path, index) => [path, bySeq.get(delivery.seq)?.[index] ?? null]),
    ),
  }))
}

/** Returns a query for bodies with this path, at any index of its arrays. */
function pathQuery(path: string): string {
  const keys = splitPath(path.replaceAll('[]', '')).filter((step) => Number.isNaN(Number(step)))
  return `is:any ${printPath(keys)}:*`
}

/** Prints which paths no stored body has, each with the likely one. */
export async function noteUnknownColumns(
  client: Client,
  paths: readonly string[],
  output: Pick<Output, 'note'>,
): Promise<void> {
  if (paths.length === 0) return
  const { counts } = await client.call('deliveries.counts', {
    queries: paths.map(pathQuery),
    most: 1,
  })
  const unknown = paths.filter((_, index) => counts[index]?.count === 0 && !counts[index].more)
  if (unknown.length === 0) return
  const { bodyPaths } = await client.call('deliveries.suggest', {})
  const known = bodyPaths.map(({ path }) => path)
  for (const path of unknown) {
    const likely = likelyNames(path, known)[0] ?? known.find((one) => one.endsWith(`.${path}`))
    output.note(
      `No delivery has "${path}". ${likely === undefined ? 'Check the path.' : `Did you mean "${likely}"?`}`,
    )
  }
}

const SHOWN_CHARACTERS = 40

/** Returns the cells of a delivery, with its columns before the ID. */
export function cellsWithColumns({ columns = {}, ...delivery }: WithColumns): Cell[] {
  const cells = deliveryCells(delivery)
  const values = Object.values(columns).map((text) =>
    text !== null && text.length > SHOWN_CHARACTERS
      ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…`
      : (text ?? ''),
  )
  return [...cells.slice(0, -1), ...values, ...cells.slice(-1)]
}
