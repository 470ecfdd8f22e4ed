/**
 * The path of a value in a JSON body, in the search syntax: `card.lastNumbers`, `items[0].id`, and `$.a["b c"]` for names that
 * aren't plain words.
 */

/** A name, an array index, or `each` for any index. */
export type PathStep = string | number | typeof each

/** Any array index: a field is the same field in each item. */
export const each = Symbol('each item')

const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/

/** `$` alone is the whole body. */
export function pathText(steps: readonly PathStep[]): string {
  const [first] = steps
  if (
    typeof first === 'string' &&
    plainName.test(first) &&
    steps.every((step) => typeof step !== 'string' || plainName.test(step))
  )
    return first + written(steps.slice(1))
  return `$${written(steps)}`
}

function written(steps: readonly PathStep[]): string {
  return steps
    .map((step) => {
      if (step === each) return '[]'
      if (typeof step === 'number') return `[${step}]`
      return plainName.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
    })
    .join('')
}
