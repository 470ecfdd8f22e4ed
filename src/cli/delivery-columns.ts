/** Listed deliveries with columns from their bodies. */
import type { Delivery } from '../shared/model/delivery.ts'
import type { Client } from '../shared/rpc/client.ts'
import { deliveryCells } from './delivery-table.ts'
import type { Cell } from './print.ts'

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
