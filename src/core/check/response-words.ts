/** Words about the response to a request of the check. */
import type { CheckExchange } from '../../shared/model/check.ts'

/** Returns the status of a response; 0 without one. */
export const exchangeStatus = ({ got }: CheckExchange): number => got.status ?? 0

/** Returns `: ` and the start of a response as code; '' for an empty one. */
export function quotedResponse({ got: { body } }: CheckExchange): string {
  const text = (/<title>([^<]*)/i.exec(body)?.[1] ?? body)
    .replaceAll(/\s+/g, ' ')
    .replaceAll('`', "'")
    .trim()
    // The sentence around it ends with a period.
    .replace(/\.$/, '')
  return text === '' ? '' : `: \`${text.length > 120 ? `${text.slice(0, 120)}…` : text}\``
}
