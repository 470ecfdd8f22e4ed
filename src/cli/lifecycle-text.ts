/** Prints a lifecycle: events with both times, missing events and issues. */
import { printableText } from '../shared/text/printable.ts'
import { subjectWord, type Lifecycle, type LifecycleStage } from '../shared/model/lifecycle.ts'
import { localTimeText } from './delivery-table.ts'
import { createColumns, type Output } from './print.ts'

function stageCells({
  name,
  amount,
  currency,
  status,
  happenedAt,
  receivedAt,
  isProved,
  deliveries,
}: LifecycleStage) {
  const value = amount === null ? (status ?? '') : `${amount} ${currency ?? ''}`
  const times = deliveries.length === 1 ? '1 delivery' : `${deliveries.length} deliveries`
  return [
    { text: name },
    { text: value.trim(), align: 'right' as const },
    {
      text: happenedAt === null ? 'time unknown' : `happened ${localTimeText(happenedAt)}`,
      colour: 'grey' as const,
    },
    { text: `received ${localTimeText(receivedAt)}`, colour: 'grey' as const },
    {
      text: isProved ? times : `${times}, not verified`,
      colour: isProved ? null : ('yellow' as const),
    },
    { text: deliveries[0]?.id ?? '', colour: 'grey' as const },
  ]
}

export function lifecycleLines(output: Pick<Output, 'colour'>, lifecycle: Lifecycle): string[] {
  const { kind, objectId, stages, missing, oddities, isCut, unlinked } = lifecycle
  if (kind === 'none') return ['No lifecycle: only transactions and location.status have one.']
  return [
    `${subjectWord(lifecycle)} ${printableText(objectId ?? '')}`,
    ...(isCut ? ['Showing the latest deliveries only.'] : []),
    ...(unlinked === null
      ? []
      : [
          `Still linking deliveries: ${unlinked.left.toLocaleString('en')} of ${unlinked.of.toLocaleString('en')} left. Some may belong to this ${kind}.`,
        ]),
    ...createColumns(output)(stages.map(stageCells)),
    ...missing.flatMap(({ name, isLate, message, fix }) => [
      '',
      output.colour(`${name}: ${isLate ? 'missing' : 'pending'}`, isLate ? 'yellow' : 'bold'),
      printableText(`${message} ${fix}`),
    ]),
    ...oddities.flatMap(({ level, message, fix }) => [
      '',
      output.colour(
        printableText(`${level === 'warn' ? 'Issue' : 'Note'}: ${message}`),
        level === 'warn' ? 'yellow' : 'bold',
      ),
      printableText(fix),
    ]),
  ]
}
