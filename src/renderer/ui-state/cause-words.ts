/** Short words for a diagnosis, for lists: `Trailing slash`, `Body key order`. */
import { capitalized } from '../../shared/text/english.ts'

/** Words of causes whose names don't explain them. */
const causes: Readonly<Record<string, string>> = {
  'url:trailing-slash': 'Trailing slash',
  'url:no-trailing-slash': 'No trailing slash',
  'url:other-hook': "Other hook's URL",
  'url:normalised': 'URL normalized',
  'body:normalised': 'Body normalized',
  'body:line-ends': 'Body line endings',
  'body:printed': 'Body pretty-printed',
  'body:replaced': 'Body changed',
  'secret:other-hook': "Other hook's secret",
  'secret:other-environment': "Other environment's secret",
  'secret:previous': 'Previous secret',
  'secret:api-key': 'API key as secret',
  'passes:once': 'Hashed once',
  'passes:three': 'Hashed three times',
  'passes:swapped': 'Key and message swapped',
}

const kindWords: Readonly<Record<string, string>> = {
  url: 'URL',
  passes: 'Hash',
  order: 'Order of parts',
}

/** Returns the short words for a diagnosis' `cause`, such as `url:trailing-slash`. */
export function causeWords(cause: string): string {
  const words = causes[cause]
  if (words !== undefined) return words
  const [kind = '', detail = ''] = cause.split(':')
  const start = kindWords[kind] ?? capitalized(kind)
  return detail === '' ? start : `${start}: ${detail.replaceAll('-', ' ')}`
}
