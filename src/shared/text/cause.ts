/** A diagnosis in two to four words, for lists: `Trailing slash`, `Body key order`. */

/** Causes that their own name doesn't explain in short. */
const words: Readonly<Record<string, string>> = {
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

const families: Readonly<Record<string, string>> = {
  url: 'URL',
  passes: 'Hash',
  order: 'Order of parts',
}

/** The short words for a diagnosis' `cause`, such as `url:trailing-slash`. */
export function causeWords(cause: string): string {
  const known = words[cause]
  if (known !== undefined) return known
  const [family = '', detail = ''] = cause.split(':')
  const start = families[family] ?? family.charAt(0).toUpperCase() + family.slice(1)
  return detail === '' ? start : `${start}: ${detail.replaceAll('-', ' ')}`
}
