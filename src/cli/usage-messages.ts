/** Turns commander's messages about wrong usage into our own sentences. */

/** Last line of a message: `(Did you mean --query?)`. */
const SUGGESTION = /\n\(Did you mean (?:one of )?(.+)\?\)$/

/** Messages of commander and our sentences; `F` captures an option's long flag. */
const sentences: Readonly<Record<string, string>> = {
  "missing required argument '(.*)'": 'Missing argument: $1. ADVICE',
  "option 'F' argument missing": '$1 needs a value. ADVICE',
  "required option 'F' not specified": '$1 is required. ADVICE',
  "option 'F' cannot be used with option 'F'": 'Use either $1 or $2.',
  "option 'F' argument '(.*)' is invalid. Allowed choices are (.+).":
    'Invalid $1 "$2". Use one of: $3.',
  // A value's reader says what it expects, or explains the problem itself.
  "option 'F' argument '(.*)' is invalid. (Expected .*)": 'Invalid $1 "$2". $3',
  "option 'F' argument '.*' is invalid. Option (needs|given)(.*)": '$1 $2$3',
  "option 'F' argument '.*' is invalid. (.*)": '$2',
  "command-argument value '(.*)' is invalid for argument '(.*?)'. (Expected .*)":
    'Invalid $2 "$1". $3',
  "command-argument value '.*' is invalid for argument '.*?'. (.*)": '$1',
  "unknown option '(-\\d.*)'": '"$1" looks like an option. Put -- before it.',
  "unknown option '(.*)'": 'Unknown option $1. ADVICE',
  "unknown command '(.*)'": 'Unknown command "$1". ADVICE',
  'too many arguments.*?. Expected (.+) arguments? but got (.+?):.*':
    'Too many arguments: expected $1, got $2. ADVICE',
}

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
  for (const [pattern, sentence] of Object.entries(sentences)) {
    const flags = pattern.replaceAll("'F'", String.raw`'(?:-\w, )?(--[\w-]+).*?'`)
    const matching = new RegExp(`^error: ${flags}$`, 's')
    if (matching.test(text)) return text.replace(matching, sentence.replace('ADVICE', advice))
  }
  return message
}
