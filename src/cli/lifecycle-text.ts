/** A lifecycle as lines for a person: its events with both times, what is missing, and what is odd. */
import { printableText } from '../shared/text/printable.ts'
import { subjectWord, type Lifecycle, type LifecycleStage } from '../shared/model/lifecycle.ts'
import { localTimeText } from './delivery-table.ts'
import { createColumns, type Output } from './output.ts'

function stageCells({ name, amount, currency, status, happenedAt, receivedAt, isProved, deliveries }: LifecycleStage) {
  const value = amount === null ? (status ?? '') : `${amount} ${currency ?? ''}`
  const times = deliveries.length === 1 ? '1 delivery' : `${deliveries.length} deliveries`
  return [
    { text: name },
    { text: value.trim(), align: 'right' as const },
    { text: happenedAt === null ? 'time not told' : `happened ${localTimeText(happenedAt)}`, colour: 'grey' as const },
    { text: `received ${localTimeText(receivedAt)}`, colour: 'grey' as const },
    { text: isProved ? times : `${times}, not proved`, colour: isProved ? null : ('yellow' as const) },
    { text: deliveries[0]?.id ?? '', colour: 'grey' as const },
  ]
}

/** The lines of a lifecycle; one sentence where the delivery has none. */
export function lifecycleLines(output: Pick<Output, 'colour'>, lifecycle: Lifecycle): string[] {
  const { kind, objectId, stages, missing, oddities, isCut, unlinked } = lifecycle
  if (kind === 'none')
    return ['The delivery is of no purchase and reports no location: only transactions and location.status have a lifecycle.']
  return [
    `${subjectWord(lifecycle)} ${printableText(objectId ?? '')}`,
    ...(isCut ? ['More deliveries name it than can be told: these are the latest.'] : []),
    ...(unlinked === null
      ? []
      : [
          `Deliveries are still being linked: ${unlinked.left.toLocaleString('en')} of ${unlinked.of.toLocaleString('en')} are left, and some of this ${kind} may be among them.`,
        ]),
    ...createColumns(output)(stages.map(stageCells)),
    ...missing.flatMap(({ name, isLate, message, fix }) => [
      '',
      output.colour(`${name}: ${isLate ? 'did not come' : 'not there yet'}`, isLate ? 'yellow' : 'bold'),
      printableText(`${message} ${fix}`),
    ]),
    ...oddities.flatMap(({ level, message, fix }) => [
      '',
      output.colour(printableText(`${level === 'warn' ? 'Odd' : 'Note'}: ${message}`), level === 'warn' ? 'yellow' : 'bold'),
      printableText(fix),
    ]),
  ]
}
