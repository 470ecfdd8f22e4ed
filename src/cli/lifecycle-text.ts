/** Prints a lifecycle: events with both times, missing events and issues. */
import { subjectWord, type Lifecycle, type LifecycleStage } from '../shared/model/lifecycle.ts'
import { localTimeText } from './delivery-table.ts'
import { createColumns, grey, right, type Cell, type Output } from './print.ts'

function stageCells({
  name,
  amount,
  currency,
  status,
  happenedAt,
  receivedAt,
  isProved,
  deliveries,
}: LifecycleStage): Cell[] {
  const value = amount === null ? (status ?? '') : `${amount} ${currency ?? ''}`
  const times = deliveries.length === 1 ? '1 delivery' : `${deliveries.length} deliveries`
  return [
    name,
    right(value.trim()),
    grey(happenedAt === null ? 'time unknown' : `happened ${localTimeText(happenedAt)}`),
    grey(`received ${localTimeText(receivedAt)}`),
    isProved ? times : { text: `${times}, not verified`, color: 'yellow' },
    grey(deliveries[0]?.id ?? ''),
  ]
}

export function lifecycleLines(output: Pick<Output, 'color'>, lifecycle: Lifecycle): string[] {
  const { kind, objectId, stages, missing, findings, isCut, unlinked } = lifecycle
  if (kind === 'none') return ['No lifecycle: only transactions and location.status have one.']
  return [
    `${subjectWord(lifecycle)} ${objectId ?? ''}`,
    ...(isCut ? ['Showing the latest deliveries only.'] : []),
    ...(unlinked === null
      ? []
      : [
          `Still linking deliveries: ${unlinked.left.toLocaleString('en')} of ${unlinked.of.toLocaleString('en')} left. Some may belong to this ${kind}.`,
        ]),
    ...createColumns(output)(stages.map(stageCells)),
    ...missing.flatMap(({ name, isLate, message, fix }) => [
      '',
      output.color(`${name}: ${isLate ? 'missing' : 'pending'}`, isLate ? 'yellow' : 'bold'),
      `${message} ${fix}`,
    ]),
    ...findings.flatMap(({ level, message, fix }) => [
      '',
      output.color(
        `${level === 'warn' ? 'Issue' : 'Note'}: ${message}`,
        level === 'warn' ? 'yellow' : 'bold',
      ),
      fix,
    ]),
  ]
}
