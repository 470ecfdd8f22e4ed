/**
 * Delivery as Markdown. The sender's data is in code that it can't close; the caller masks secrets.
 */
import type { Delivery } from '../model/delivery.ts'
import { byteCount } from './english.ts'
import { printableLines, printableText } from './printable.ts'

/** Bytes copied of a body. */
export const MARKDOWN_BODY_BYTES = 65_536

export interface MarkdownDelivery {
  readonly delivery: Delivery
  readonly cause: { readonly message: string; readonly fix: string } | null
  readonly body: string | null
}

/** Formats inline code, in more backticks than the text has in a row. */
export function inCode(text: string): string {
  const shown = printableText(text)
  const ticks = '`'.repeat(longestRun(shown) + 1)
  const space = /^`|`$|^ .* $/.test(shown) ? ' ' : ''
  return shown === '' ? '(empty)' : `${ticks}${space}${shown}${space}${ticks}`
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
}

export function fenced(language: string, text: string): string[] {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return [`${fence}${language}`, ...text.replace(/\n$/, '').split('\n'), fence]
}

/** Escapes a sentence's Markdown. */
export function prose(text: string): string {
  return printableText(text).replaceAll(/[\\`*_{}[\]<>()#+!|~&]/g, String.raw`\$&`)
}

const verdicts: Readonly<Record<Delivery['verdict'], string>> = {
  valid: 'Valid signature',
  invalid: 'Invalid signature',
  unsigned: 'Unsigned',
  'unknown-hook': 'No hook for this path',
}

function headline({ malformed, verdict, freshness, verifiedHere, origin }: Delivery): string {
  if (malformed !== null) return 'Malformed request'
  const claim =
    origin === 'shared' ? ', shared, re-signed' : verifiedHere ? '' : ' according to the file'
  const age =
    freshness === 'stale' ? ', stale' : freshness === 'future' ? ', signed in the future' : ''
  return verdicts[verdict] + claim + age
}

export function deliveryMarkdown({ delivery, cause, body }: MarkdownDelivery): string {
  const { method, path, httpVersion, headers, bodySize, malformed, event, answer, handler } =
    delivery
  const request = malformed === null ? [`${method ?? ''} ${path ?? ''} HTTP/${httpVersion}`] : []
  const head = [...request, ...headers.map(([name, value]) => `${name}: ${value}`)].map(
    printableText,
  )
  const isJson = /^\s*[[{]/.test(body ?? '')
  const bodyLines =
    bodySize === 0
      ? ['No body']
      : body === null
        ? [`Binary body, ${byteCount(bodySize)}, SHA-256 ${inCode(delivery.bodySha256)}`]
        : [
            ...fenced(isJson ? 'json' : 'text', printableLines(body)),
            ...(bodySize > MARKDOWN_BODY_BYTES
              ? ['', `The first ${byteCount(MARKDOWN_BODY_BYTES)} of ${byteCount(bodySize)}.`]
              : []),
          ]
  const facts = [
    ...(event === null ? [] : [`- Event: ${inCode(event)}`]),
    `- Received: ${delivery.receivedAt}`,
    ...(answer.status === null ? [] : [`- Responded: ${answer.status}`]),
    ...(handler?.status === undefined || handler.status === null
      ? []
      : [`- Handler returned: ${handler.status}`]),
    `- ID: ${inCode(delivery.id)}`,
  ]
  return [
    `**${headline(delivery)}**`,
    ...(malformed === null ? [] : ['', prose(malformed.reason)]),
    ...(cause === null ? [] : ['', prose(cause.message), '', prose(cause.fix)]),
    '',
    ...facts,
    '',
    ...(head.length === 0 ? [] : [...fenced('http', printableLines(head.join('\n'))), '']),
    ...bodyLines,
    '',
  ].join('\n')
}
