/** Turns commander's messages about wrong usage into our own sentences. */

/** Last line of a message: `(Did you mean --query?)`. */
const SUGGESTION = /\n\(Did you mean (?:one of )?(.+)\?\)$/

/** Messages of commander and our sentences; `F` captures an option's long flag. */
const sentences: readonly { readonly pattern: string; readonly sentence: string }[] = [
  { pattern: "missing required argument '(.*)'", sentence: 'Missing argument: $1. ADVICE' },
  { pattern: "option 'F' argument missing", sentence: '$1 needs a value. ADVICE' },
  { pattern: "required option 'F' not specified", sentence: '$1 is required. ADVICE' },
  { pattern: "option 'F' cannot be used with option 'F'", sentence: 'Use either $1 or $2.' },
  {
    pattern: "option 'F' argument '(.*)' is invalid. Allowed choices are (.+).",
    sentence: 'Invalid $1 "$2". Use one of: $3.',
  },
  // A value's reader says what it expects, or explains the problem itself.
  {
    pattern: "option 'F' argument '(.*)' is invalid. (Expected .*)",
    sentence: 'Invalid $1 "$2". $3',
  },
  { pattern: "option 'F' argument '.*' is invalid. Option (needs|given)(.*)", sentence: '$1 $2$3' },
  { pattern: "option 'F' argument '.*' is invalid. (.*)", sentence: '$2' },
  {
    pattern: "command-argument value '(.*)' is invalid for argument '(.*?)'. (Expected .*)",
    sentence: 'Invalid $2 "$1". $3',
  },
  { pattern: "command-argument value '.*' is invalid for argument '.*?'. (.*)", sentence: '$1' },
  {
    pattern: "unknown option '(-\\d.*)'",
    sentence: '"$1" looks like an option. Put -- before it.',
  },
  { pattern: "unknown option '(.*)'", sentence: 'Unknown option $1. ADVICE' },
  { pattern: "unknown command '(.*)'", sentence: 'Unknown command "$1". ADVICE' },
  {
    pattern: 'too many arguments.*?. Expected (.+) arguments? but got (.+?):.*',
    sentence: 'Too many arguments: expected $1, got $2. ADVICE',
  },
]

/**
 * Returns what happened, then what to do.
 * @param command Full name, whose help is advised if there is no better advice.
 * @param choices Values of the option that the message names.
 */
export function usageSentence(
  message: string,
  command: string,
  choices?: readonly string[],
): string {
  const suggested = SUGGESTION.exec(message)?.[1]
  const otherwise =
    choices === undefined
      ? `Run "${command} --help" to see its usage.`
      : `Use one of: ${choices.join(', ')}.`
  const advice = suggested === undefined ? otherwise : `Did you mean ${suggested}?`
  const text = message.replace(SUGGESTION, '')
  for (const { pattern, sentence } of sentences) {
    const flags = pattern.replaceAll("'F'", String.raw`'(?:-\w, )?(--[\w-]+).*?'`)
    const matching = new RegExp(`^error: ${flags}$`, 's')
    if (matching.test(text)) return text.replace(matching, sentence.replace('ADVICE', advice))
  }
  return message
}
