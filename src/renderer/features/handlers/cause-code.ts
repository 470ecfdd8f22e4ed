/** Code for causes that are about signatures: a program that verifies a valid delivery. */
import type { CheckExchange } from '../../../shared/model/check.ts'
import type { HandlerCause } from '../../../shared/model/handler-causes.ts'
import { inlineBody, type Vector } from '../../../shared/snippets/snippet.ts'

/**
 * Returns a delivery to verify, for a cause about signatures; null for others, or if its signature
 * or a part of its body is missing.
 */
export function codeVector(
  { cause, section }: HandlerCause,
  { sent }: CheckExchange,
): Vector | null {
  if (section !== '5.2' || cause === 'no-time') return null
  const header = (ending: string) => sent.headers.find(([name]) => name.endsWith(ending))?.[1]
  const [timestamp, signature] = [header('-timestamp'), header('-signature')]
  const bytes = new TextEncoder().encode(sent.body)
  const bodyBase64 = bytes.length === sent.bodySize ? inlineBody(bytes) : null
  if (timestamp === undefined || signature === undefined || bodyBase64 === null) return null
  return { bodyBase64, url: sent.signedUrl, timestamp, signature }
}
