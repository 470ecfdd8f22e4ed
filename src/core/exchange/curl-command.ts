/**
 * A delivery as a command for a shell that signs it anew when it is run and sends it to the registered URL of its hook. Where no
 * hook is known there is nothing to sign with: it is sent as it came.
 */
import type { Delivery } from '../../shared/model/delivery.ts'
import { curlCertificateOptions, type CurlTrust } from '../../shared/snippets/curl-certificate.ts'
import { replayCurl } from '../../shared/snippets/replay-curl.ts'
import { printableText } from '../../shared/text/printable.ts'
import { addressOf } from './har-entry.ts'

export interface CurlContext {
  readonly prefixes: readonly string[]
  /** Registered URL of the delivery's hook; null where none is known. */
  readonly hookUrl: string | null
  /** In clear; null takes it from the environment of the shell. */
  readonly secret: string | null
  readonly trust: CurlTrust
}

/** The command, on as many lines as it takes; where the delivery was no request, a comment that says so. */
export function writeCurl(delivery: Delivery, body: Uint8Array, { prefixes, hookUrl, secret, trust }: CurlContext): string {
  // On one line whatever is in it: a second one would be a command.
  const title = printableText(`# ${delivery.event ?? 'delivery'} ${delivery.id}, received ${delivery.receivedAt}`)
  const notes = [
    ...(delivery.truncated ? [`# Only the first ${body.length} of ${delivery.bodySize} bytes of its body were kept.`] : []),
    ...(hookUrl === null ? ['# No hook is known for it: it is sent with the signature that it came with.'] : []),
  ]
  if (delivery.malformed !== null || delivery.method === null)
    return [title, '# It was no request that could be sent again.'].join('\n')
  const target = hookUrl ?? addressOf(delivery)
  const command = replayCurl({
    target,
    method: delivery.method,
    headers: delivery.headers,
    body,
    signedUrl: hookUrl,
    timestamp: null,
    prefixes,
    secret,
    options: curlCertificateOptions(target, trust),
  })
  return [title, ...notes, command].join('\n')
}
