/** Paths in a JSON document, and patterns that match many of them. */

export type Path = readonly (string | number)[]

const plainName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

/** Formats `location.geolocation.latitude`, `message[0]` or `["odd name"].x`. */
export function showPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    if (!plainName.test(step)) return `${text}[${JSON.stringify(step)}]`
    return text === '' ? step : `${text}.${step}`
  }, '')
}

/** Whether a path matches a pattern, with `*` within a step and `**` for any number of steps. */
export function pathFitsPattern(path: Path, pattern: string): boolean {
  return fits(path.map(String), stepsOf(pattern))
}

type Step = (name: string) => boolean

const parsed = new Map<string, readonly (Step | null)[]>()
const MOST_PARSED = 500

/** Parses a pattern into tests; null for `**`. */
function stepsOf(pattern: string): readonly (Step | null)[] {
  const cached = parsed.get(pattern)
  if (cached !== undefined) return cached
  if (parsed.size >= MOST_PARSED) parsed.clear()
  const steps = pattern.split('.').map((step): Step | null => {
    if (step === '**') return null
    const letters = Array.from(step, (letter) =>
      letter === '*' ? null : (other: string) => other === letter,
    )
    return step.includes('*') ? (name) => fits(Array.from(name), letters) : (name) => name === step
  })
  parsed.set(pattern, steps)
  return steps
}

/** Matches items with tests; a null test takes any number. Backtracks only to the last null. */
function fits(items: readonly string[], tests: readonly (Step | null)[]): boolean {
  let at = 0
  let next = 0
  let afterNull = -1
  let begun = 0
  while (at < items.length) {
    const test = tests[next]
    if (test === null) {
      afterNull = ++next
      begun = at
    } else if (test?.(items[at]!) === true) {
      at++
      next++
    } else if (afterNull === -1) return false
    else {
      next = afterNull
      at = ++begun
    }
  }
  return tests.slice(next).every((test) => test === null)
}
