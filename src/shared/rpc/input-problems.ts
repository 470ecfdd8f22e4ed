/** Explanation of invalid input, without internal names. */
import { capitalized, uncapitalized } from '../text/english.ts'
import type { z } from 'zod'

/** Problem of a field (path joined by dots; empty for the whole input). */
export interface InputProblem {
  readonly field: string
  readonly message: string
}

type Issue = Parameters<z.core.$ZodErrorMap>[0]

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const formatWords: Readonly<Record<string, string>> = {
  url: 'a complete URL, such as https://example.com/hooks',
  uuid: 'a UUID',
  datetime: 'a time like 2026-11-21T09:30:00Z',
  base64: 'Base64 text',
}

const MISSING = 'missing'

/** Writes a limit of a type: `5 characters`, `5 entries`, or the number 5. */
function limitText(limit: number | bigint, type: string): string {
  if (type === 'string') return limit === 1 ? '1 character' : `${limit} characters`
  if (hasLength(type)) return limit === 1 ? '1 entry' : `${limit} entries`
  return String(limit)
}

const hasLength = (type: string): boolean => type === 'string' || type === 'array' || type === 'set'

/** Describes an issue as the end of a sentence: `must be a string`. */
function issueText(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? MISSING
        : `must be ${typeNames[issue.expected] ?? issue.expected}`
    case 'too_small': {
      const least = limitText(issue.minimum, issue.origin)
      if (issue.inclusive === false) return `must be more than ${least}`
      if (!hasLength(issue.origin)) return `must be at least ${least}`
      return Number(issue.minimum) === 1 ? 'must not be empty' : `must have at least ${least}`
    }
    case 'too_big': {
      const most = limitText(issue.maximum, issue.origin)
      if (issue.inclusive === false) return `must be less than ${most}`
      return hasLength(issue.origin) ? `must have at most ${most}` : `must be at most ${most}`
    }
    case 'invalid_format': {
      const format = formatWords[issue.format]
      return format === undefined ? 'has an invalid format or character' : `must be ${format}`
    }
    case 'invalid_value': {
      const choices = issue.values.map(String).join(', ')
      return issue.input === undefined
        ? MISSING
        : `must be ${choices.replace(/, ([^,]*)$/, ' or $1')}`
    }
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`
    case 'invalid_key':
      return 'has an invalid name in it'
    default:
      return 'has an invalid format'
  }
}

/** Options for `safeParse`, with a message for each issue. */
export const inputParseOptions: { readonly error: z.core.$ZodErrorMap } = { error: issueText }

const initials: Readonly<Record<string, string>> = {
  url: 'URL',
  id: 'ID',
  ids: 'IDs',
  ca: 'CA',
  pem: 'PEM',
  http: 'HTTP',
}

/** Writes a name in words; `timeoutMs` becomes 'timeout', since the form shows the unit. */
function nameInWords(name: string): string {
  const words = name.replace(/(?<=[a-z])Ms$/, '').split(/(?<=[a-z])(?=[A-Z])/)
  return words.map((word) => initials[word.toLowerCase()] ?? word.toLowerCase()).join(' ')
}

/** Field names that aren't nouns, so that "the" can't precede them. */
const namesWithoutArticle: ReadonlySet<string> = new Set([
  'by',
  'failFirst',
  'from',
  'of',
  'on',
  'only',
  'per',
  'skip',
  'to',
])

/** Writes a path's field in words; names chosen by the user stay. */
function fieldInWords(path: readonly PropertyKey[]): string {
  const names = path.filter((part) => typeof part === 'string')
  const last = names.at(-1)
  if (last === undefined) return 'the input'
  const before = names.at(-2)
  if (before !== undefined && /headers$/i.test(before)) return `the header "${last}"`
  return namesWithoutArticle.has(last) ? `"${nameInWords(last)}"` : `the ${nameInWords(last)}`
}

/** Lower-cases a message that continues a sentence. */
function continued(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? uncapitalized(text) : text
}

const INSTRUCTION = /^(?:Use|Enter|Choose|Add) /

/** Describes problems by field and as sentences. */
export function describeInput(error: z.ZodError): {
  readonly problems: InputProblem[]
  readonly message: string
} {
  const problems = error.issues.map(({ path, message }) => ({
    field: path.join('.'),
    message: capitalized(message),
  }))
  const sentences = error.issues.map(({ path, message }) => {
    const field = capitalized(fieldInWords(path))
    if (message === MISSING) return `${field} is missing.`
    const text = message.replace(/\.$/, '')
    return /^(must|has) /i.test(text)
      ? `${field} ${continued(text)}.`
      : `${field} is invalid. ${capitalized(text)}.`
  })
  const isInstruction = problems.some(({ message }) => INSTRUCTION.test(message))
  return {
    problems,
    message: `${sentences.join(' ')}${isInstruction ? '' : ' Fix this, then try again.'}`,
  }
}
