/**
 * What does not fit in the input of a command, said in words: which field, what it takes, and what to do. Names of commands and
 * of checks are the program's own affair; who reads this filled in a form or typed a command.
 */
import type { z } from 'zod'

/** What does not fit, at which field (its path, joined by dots; empty where it is the input as a whole). It holds no value. */
export interface InputProblem {
  readonly field: string
  readonly message: string
}

type Issue = Parameters<z.core.$ZodErrorMap>[0]

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const formatWords: Readonly<Record<string, string>> = {
  url: 'a whole URL, such as https://example.com/hooks,',
  uuid: 'a UUID',
  datetime: 'a time like 2026-11-21T09:30:00Z',
  base64: 'text in Base-64',
}

const MISSING = 'missing'

function countWords(count: number | bigint, origin: string): string {
  if (origin === 'string') return count === 1 ? '1 character' : `${count} characters`
  if (origin === 'array' || origin === 'set') return count === 1 ? '1 entry' : `${count} entries`
  return String(count)
}

/** What an issue of zod says, as the end of a sentence; a schema's own words go before these. */
function wordsOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? MISSING : `${typeWords[issue.expected] ?? issue.expected} is needed`
    case 'too_small': {
      const least = countWords(issue.minimum, issue.origin)
      return issue.inclusive === false ? `more than ${least} is needed` : `${least} at least`
    }
    case 'too_big': {
      const most = countWords(issue.maximum, issue.origin)
      return issue.inclusive === false ? `less than ${most} is needed` : `${most} at most`
    }
    case 'invalid_format': {
      const format = formatWords[issue.format]
      return format === undefined ? 'its form, or a character in it, cannot be used' : `${format} is needed`
    }
    case 'invalid_value': {
      const choices = issue.values.map(String).join(', ')
      return issue.input === undefined ? MISSING : `${choices.replace(/, ([^,]*)$/, ' or $1')} is needed`
    }
    case 'unrecognized_keys':
      return `nothing is known of ${issue.keys.join(', ')}`
    case 'invalid_key':
      return 'a name in it cannot be used'
    default:
      return 'its form cannot be used'
  }
}

/** For `safeParse`: the words of each issue whose schema has none of its own. */
export const inInputWords: { readonly error: z.core.$ZodErrorMap } = { error: wordsOf }

const initials: Readonly<Record<string, string>> = { url: 'URL', id: 'ID', ids: 'IDs', ca: 'CA', pem: 'PEM', http: 'HTTP' }

/** `tokenUrl` is the token URL, and `timeoutMs` the timeout: who gives it knows its unit from where it is given. */
function nameInWords(name: string): string {
  const words = name.replace(/(?<=[a-z])Ms$/, '').split(/(?<=[a-z])(?=[A-Z])/)
  return words.map((word) => initials[word.toLowerCase()] ?? word.toLowerCase()).join(' ')
}

/** Fields whose names are no nouns: "the from" is nothing that one says. */
const noNouns: ReadonlySet<string> = new Set(['by', 'failFirst', 'from', 'of', 'on', 'only', 'per', 'skip', 'to'])

/** The field of a path in words; what a person named, such as a header, stands as it was written. */
function fieldInWords(path: readonly PropertyKey[]): string {
  const names = path.filter((part) => typeof part === 'string')
  const last = names.at(-1)
  if (last === undefined) return 'what was given'
  const before = names.at(-2)
  if (before !== undefined && /headers$/i.test(before)) return `the header "${last}"`
  return noNouns.has(last) ? `"${nameInWords(last)}"` : `the ${nameInWords(last)}`
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Lets words that begin with a capital go on in the middle of a sentence. */
function continued(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** Each problem by its field, for a form, and all of them in sentences, for everyone else. */
export function describeInput(error: z.ZodError): { readonly problems: InputProblem[]; readonly message: string } {
  const problems = error.issues.map(({ path, message }) => ({ field: path.join('.'), message: capitalised(message) }))
  const sentences = error.issues.map(({ path, message }) => {
    const field = capitalised(fieldInWords(path))
    return message === MISSING ? `${field} is missing.` : `${field} cannot be taken: ${continued(message).replace(/\.$/, '')}.`
  })
  return { problems, message: `${sentences.join(' ')} Nothing was done; correct it and try again.` }
}
