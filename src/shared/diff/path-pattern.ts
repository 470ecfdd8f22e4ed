/** Paths in a JSON document, and patterns that match many of them. */

export type Path = readonly (string | number)[]

const PLAIN_NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

/** Formats `location.geolocation.latitude`, `message[0]` or `["odd name"].x`. */
export function showPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    if (!PLAIN_NAME.test(step)) return `${text}[${JSON.stringify(step)}]`
    return text === '' ? step : `${text}.${step}`
  }, '')
}

/** Turns `$.items[0].total` or `items[].total` into a pattern. */
export function pathPattern(path: string): string {
  return path
    .replace(/^\$\.?/, '')
    .replaceAll(/\[(\d*|\*)\]/g, (_, index: string) => `.${index || '*'}`)
    .replace(/^\./, '')
}

/**
 * Whether a path matches a pattern such as `**.card.*Id`: `*` stands for any characters of a step,
 * `**` for any number of steps.
 */
export function pathFitsPattern(path: Path, pattern: string): boolean {
  return fits(path.map(String), testsOf(pattern))
}

/** Test of a step or character; null accepts any number of them. */
type ItemTest = ((item: string) => boolean) | null

const cache = new Map<string, readonly ItemTest[]>()
const MOST_CACHED = 500

function testsOf(pattern: string): readonly ItemTest[] {
  const cached = cache.get(pattern)
  if (cached !== undefined) return cached
  if (cache.size >= MOST_CACHED) cache.clear()
  const tests = pattern.split('.').map((step): ItemTest => {
    if (step === '**') return null
    if (!step.includes('*')) return (name) => name === step
    const letterTests = Array.from(step, (letter): ItemTest =>
      letter === '*' ? null : (other) => other === letter,
    )
    return (name) => fits(Array.from(name), letterTests)
  })
  cache.set(pattern, tests)
  return tests
}

/** Whether tests accept all items in order; after a mismatch, the last null takes one item more. */
function fits(items: readonly string[], tests: readonly ItemTest[]): boolean {
  let item = 0
  let next = 0
  /** Test after the last null, and the item that it was first tried with. */
  let retryTest: number | null = null
  let retryItem = 0
  while (item < items.length) {
    const test = tests[next]
    if (test === null) {
      retryTest = ++next
      retryItem = item
    } else if (test?.(items[item]!) === true) {
      item++
      next++
    } else if (retryTest === null) return false
    else {
      next = retryTest
      item = ++retryItem
    }
  }
  return tests.slice(next).every((test) => test === null)
}
