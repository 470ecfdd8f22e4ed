/** A delivery as a line of CSV, with values of its body. */
import { CSV_FIELDS, csvLine } from '../../shared/import-export/csv.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { valuesOfBody } from '../store/body-values.ts'

export async function writeCsv(
  delivery: Delivery,
  body: Uint8Array,
  columns: readonly string[],
): Promise<string> {
  const { answer, handler, headers, truncated } = delivery
  const fields = {
    ...delivery,
    status: answer.status,
    handlerStatus: handler?.status ?? null,
  } satisfies Record<(typeof CSV_FIELDS)[number], unknown>
  const values = await valuesOfBody(body, headers, columns, truncated)
  return csvLine([...CSV_FIELDS.map((name) => fields[name]), ...values])
}
