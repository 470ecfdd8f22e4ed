/** Prints a query expression as text that parses to the same expression. */
import type { Expression, Item, Name } from '../../src/shared/query/expression.ts'
import { printPath } from '../../src/shared/query/term-name.ts'

const PLAIN_TEXT = /^[\p{L}\p{N}][^\s():"{}]*$/u
const KEYWORDS: readonly string[] = ['OR', 'AND', 'NOT']

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

function printItem({ quoted, text }: Item): string {
  return quoted ? quote(text) : text
}

function printWords(text: string, exact: boolean): string {
  if (exact) return quote(text)
  return PLAIN_TEXT.test(text) && !KEYWORDS.includes(text) ? text : `${quote(text)}*`
}

function printName(name: Name): string {
  if (name.kind === 'field') return name.field
  return name.kind === 'header' ? `header.${name.header}` : printPath(name.steps)
}

function printPart(part: Expression): string {
  return part.kind === 'all' || part.kind === 'any' ? `(${printQuery(part)})` : printQuery(part)
}

export function printQuery(expression: Expression): string {
  switch (expression.kind) {
    case 'all':
      return expression.of.map((part) => printPart(part)).join(' ')
    case 'any':
      return expression.of
        .map((part) => (part.kind === 'all' ? printQuery(part) : printPart(part)))
        .join(' OR ')
    case 'not':
      return `-${printPart(expression.of)}`
    case 'words':
      return printWords(expression.text, expression.exact)
    case 'json':
      return expression.text
    case 'term': {
      const { name, items } = expression
      const values = items.map(printItem).join(',')
      const written = printName(name)
      // Two slashes would turn it into a URL.
      const isAddress = name.kind === 'path' && values.startsWith('//') && !written.startsWith('$')
      return `${isAddress ? `$.${written}` : written}:${values}`
    }
  }
}
