/**
 * The path of a value inside a JSON body, written as the search language takes it: `card.lastNumbers`, `items[0].id`, and
 * `$.a["b c"]` where a name is not a plain word.
 */

/** A name, the index in an array, or `each` for any index. */
export type PathStep = string | number | typeof each

/** Stands for every index of an array: fields are the same field in each of its items. */
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
