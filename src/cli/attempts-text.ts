/** The attempts of a notification as lines for a person: each with its answer, the gap before it, and what does not hold. */
import { printableText } from '../shared/text/printable.ts'
import type { Attempt } from '../shared/model/lifecycle.ts'
import { localTime, repeatOf, verdictCell } from './delivery-table.ts'
import { createColumns, type Output } from './output.ts'

export function attemptLines(output: Pick<Output, 'colour'>, attempts: readonly Attempt[]): string[] {
  const heads = createColumns(output)(
    attempts.map(({ row }) => [
      { text: repeatOf(row) },
      { text: localTime(row.receivedAt), colour: 'grey' as const },
      verdictCell(row),
      { text: row.answer.status === null ? 'none' : String(row.answer.status) },
      { text: row.id, colour: 'grey' as const },
    ]),
  )
  return attempts.flatMap(({ message, checks }, index) => {
    const broken = checks.filter(({ holds }) => !holds)
    return [
      heads[index] ?? '',
      `  ${message}`,
      ...broken.map((check) => output.colour(`  ! ${printableText(check.message)}`, 'yellow')),
      ...(checks.length > 0 && broken.length === 0
        ? ['  Signature and timestamp are new ones where there are any; body, URL and other headers are the same.']
        : []),
    ]
  })
}
