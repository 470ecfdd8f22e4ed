/** What a side is called in an export. */
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'
import type { Side } from './sides.ts'

/** `transaction.auth, 21 Nov 2026 14:03:07.512`. */
export function sideTitle(side: Side): string {
  if (side.kind === 'text') return 'pasted text'
  const { delivery } = side
  return `${eventWord(delivery).text}, ${calendarDay(delivery.receivedAt)} ${clockTime(delivery.receivedAt)} (${delivery.id})`
}
