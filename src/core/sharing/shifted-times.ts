/** Moves times by one amount and keeps their spelling. */

const ISO = /^(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d:\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/
/** Units of a count since the epoch, by its number of digits. */
const UNITS: Readonly<Record<number, readonly [times: bigint, per: bigint]>> = {
  10: [1n, 1_000n],
  13: [1n, 1n],
  16: [1_000n, 1n],
  19: [1_000_000n, 1n],
}

/** Returns the moved time; null if the text isn't a time. */
export function shiftedTime(text: string, ms: number): string | null {
  return shiftedIso(text, ms) ?? shiftedDate(text, ms) ?? shiftedCount(text, ms)
}

function shiftedIso(text: string, ms: number): string | null {
  const [, day, between = '', time = '00:00:00', fraction = '', zone = ''] = ISO.exec(text) ?? []
  if (day === undefined) return null
  const at = Date.parse(`${day}T${time}Z`)
  if (Number.isNaN(at)) return null
  if (ms === 0) return text
  const millis = Number(fraction.slice(1, 4).padEnd(3, '0'))
  const moved = new Date(at + millis + ms).toISOString()
  const digits = moved.slice(20, 23) + fraction.slice(4)
  const shownFraction = fraction === '' ? '' : `.${digits.slice(0, fraction.length - 1)}`
  return between === ''
    ? moved.slice(0, 10) + zone
    : moved.slice(0, 10) + between + moved.slice(11, 19) + shownFraction + zone
}

function shiftedDate(text: string, ms: number): string | null {
  if (!HTTP_DATE.test(text) || Number.isNaN(Date.parse(text))) return null
  return ms === 0 ? text : new Date(Date.parse(text) + ms).toUTCString()
}

function shiftedCount(text: string, ms: number): string | null {
  const unit = /^\d+$/.test(text) ? UNITS[text.length] : undefined
  if (unit === undefined) return null
  const [times, per] = unit
  return String(BigInt(text) + (BigInt(ms) * times) / per).padStart(text.length, '0')
}
