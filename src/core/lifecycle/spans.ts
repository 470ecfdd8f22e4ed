/** Formats durations for sentences: `1.2 s`, `4 min`, `2 h 5 min`, `3 days 4 h`. */
export function spanText(ms: number): string {
  const size = Math.abs(ms)
  if (size < 1_000) return `${Math.round(size)} ms`
  if (size < 60_000) return `${Number((size / 1_000).toFixed(1))} s`
  const minutes = Math.round(size / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return both(`${hours} h`, minutes % 60, 'min')
  const days = Math.floor(hours / 24)
  return both(days === 1 ? '1 day' : `${days} days`, hours % 24, 'h')
}

function both(first: string, rest: number, unit: string): string {
  return rest === 0 ? first : `${first} ${rest} ${unit}`
}
