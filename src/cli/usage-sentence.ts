/** Turns commander's messages about wrong usage into our own sentences. */

const SUGGESTION = /\n\(Did you mean (?:one of )?(.+?)\?\)$/s

/** `--limit` of `-l, --limit <n>`. */
const longFlag = (flags: string) => /--[\w-]+/.exec(flags)?.[0] ?? flags

/** The reader of a value says what it expects, or explains itself. */
function invalidValue(name: string, value: string, reason: string): string {
  const choices = /^Allowed choices are (.+)\.$/.exec(reason)
  if (choices !== null) return `Invalid ${name} "${value}". Use one of: ${choices[1] ?? ''}.`
  if (reason.startsWith('Expected ')) return `Invalid ${name} "${value}". ${reason}`
  return reason.replace(/^Option (?=needs|given)/, `${name} `)
}

/** What happened, then what to do. `command` is the command's full name, whose help is named if commander has no better advice. */
export function usageSentence(message: string, command: string): string {
  const help = `Run "${command} --help" to see its usage.`
  const suggested = SUGGESTION.exec(message)?.[1]
  const advice = suggested === undefined ? help : `Did you mean ${suggested}?`
  const text = message.replace(SUGGESTION, '')
  const rules: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
    [
      /^error: missing required argument '(.*)'$/s,
      (name = '') => `Missing argument: ${name}. ${help}`,
    ],
    [
      /^error: option '(.*)' argument missing$/s,
      (flags = '') => `${longFlag(flags)} needs a value. ${help}`,
    ],
    [
      /^error: required option '(.*)' not specified$/s,
      (flags = '') => `${longFlag(flags)} is required. ${help}`,
    ],
    [
      /^error: option '(.*?)' argument '(.*)' is invalid\. ?(.*)$/s,
      (flags = '', value = '', reason = '') => invalidValue(longFlag(flags), value, reason),
    ],
    [
      /^error: command-argument value '(.*)' is invalid for argument '(.*?)'\. ?(.*)$/s,
      (value = '', name = '', reason = '') => invalidValue(name, value, reason),
    ],
    [/^error: unknown option '(.*)'$/s, (flag = '') => `Unknown option ${flag}. ${advice}`],
    [/^error: unknown command '(.*)'$/s, (name = '') => `Unknown command "${name}". ${advice}`],
    [
      /^error: too many arguments.*?\. Expected (\d+) arguments? but got (\d+):.*$/s,
      (expected = '', given = '') =>
        `Too many arguments: expected ${expected}, got ${given}. ${help}`,
    ],
  ]
  for (const [pattern, sentence] of rules) {
    const match = pattern.exec(text)
    if (match !== null) return sentence(...match.slice(1))
  }
  return message
}
