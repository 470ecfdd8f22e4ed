/** Paths in a JSON document, and patterns that match many of them. */

/** Field names and item indices. */
export type Path = readonly (string | number)[]

const plainName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

/** `location.geolocation.latitude`, `message[0]`, `["odd name"].x`; empty for the root. */
export function showPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    if (!plainName.test(step)) return `${text}[${JSON.stringify(step)}]`
    return text === '' ? step : `${text}.${step}`
  }, '')
}

/** The same as a JSON Pointer (RFC 6901). */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/**
 * Whether a path matches a pattern: steps separated by dots, `*` for any characters within a step, `**` for any number of steps. An
 * array index is its own step.
 */
export function pathFitsPattern(path: Path, pattern: string): boolean {
  return fits(path, 0, stepsOf(pattern), 0)
}

const parsed = new Map<string, readonly (RegExp | null)[]>()
/** The same few patterns are used for every difference; the list can be edited, so the cache is limited. */
const MOST_PARSED = 500

/** Each step as a regular expression; null for `**`. */
function stepsOf(pattern: string): readonly (RegExp | null)[] {
  const known = parsed.get(pattern)
  if (known !== undefined) return known
  if (parsed.size >= MOST_PARSED) parsed.clear()
  const steps = pattern
    .split('.')
    .map((step) =>
      step === '**' ? null : new RegExp(`^${step.split('*').map(RegExp.escape).join('.*')}$`, 's'),
    )
  parsed.set(pattern, steps)
  return steps
}

function fits(path: Path, at: number, steps: readonly (RegExp | null)[], step: number): boolean {
  const expression = steps[step]
  if (expression === undefined) return at === path.length
  if (expression === null) {
    for (let next = at; next <= path.length; next++)
      if (fits(path, next, steps, step + 1)) return true
    return false
  }
  return (
    at < path.length && expression.test(String(path[at])) && fits(path, at + 1, steps, step + 1)
  )
}
