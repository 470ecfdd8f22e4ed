/** Checks the arguments of the library's functions. */
import { PREFIX } from '../shared/service/header-names.ts'

export interface Rule {
  /** With a default parameter, the argument is optional. */
  readonly accepts: (value: unknown) => boolean
  /** Sentence that says what to pass. */
  readonly fix: string
}
export type Rules = Readonly<Record<string, Rule>>

export const isObject = (value: unknown) => typeof value === 'object' && value !== null
export const isText = (value: unknown) => typeof value === 'string' && value !== ''

export const prefixRule: Rule = {
  accepts: (value = 'service') => typeof value === 'string' && PREFIX.test(value),
  fix: "Pass the service's name, such as acme for x-acme-signature.",
}

function checkArgument(name: string, value: unknown, { accepts, fix }: Rule): void {
  if (accepts(value)) return
  const type = Object.prototype.toString.call(value).slice(8, -1).toLowerCase()
  const description = value === '' ? ' (empty)' : type === 'string' ? '' : ` (${type})`
  throw new TypeError(`Wrong \`${name}\`${description}. ${fix}`)
}

/**
 * Throws a `TypeError` that tells what to pass. It shows no value, which may be secret.
 * @param others options without a rule; given only for options, where other names are refused
 */
export function checkArguments(rules: Rules, input: object, others?: readonly string[]): void {
  const names = [...Object.keys(rules), ...(others ?? [])]
  const nameList = names.join(', ')
  const rule = { accepts: isObject, fix: `Pass an object with ${nameList}.` }
  checkArgument(others ? 'options' : 'input', input, rule)
  const unknown = Object.keys(input).find((name) => !names.includes(name))
  if (others && unknown !== undefined)
    throw new TypeError(`Unknown option \`${unknown}\`. Pass only ${nameList}.`)
  for (const [name, argumentRule] of Object.entries(rules))
    checkArgument(name, Reflect.get(input, name), argumentRule)
}
