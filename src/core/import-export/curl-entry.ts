/** A delivery as a shell command that signs it when run. */
import type { Delivery } from '../../shared/model/delivery.ts'
import { replayCurl } from '../../shared/snippets/curl.ts'
import { type CurlTrust, curlCertificateOptions } from '../../shared/snippets/curl-trust.ts'
import { printableText } from '../../shared/text/printable.ts'
import { addressOf } from './har-entry.ts'

interface CurlContext {
  readonly prefixes: readonly string[]
  readonly hookUrl: string | null
  /** Plain text; null reads it from the shell's environment. */
  readonly secret: string | null
  readonly trust: CurlTrust
}

/** Writes the command for a delivery, signed for its hook or as captured. */
export function writeCurl(
  delivery: Delivery,
  body: Uint8Array,
  { prefixes, hookUrl, secret, trust }: CurlContext,
): string {
  // A second line would run as a command.
  const title = printableText(
    `# ${delivery.event ?? 'delivery'} ${delivery.id}, received ${delivery.receivedAt}`,
  )
  const notes = [
    ...(delivery.truncated
      ? [`# Only the first ${body.length} of ${delivery.bodySize} bytes of its body were stored.`]
      : []),
    ...(hookUrl === null ? ['# No hook matches it: it is sent with its original signature.'] : []),
  ]
  if (delivery.malformed !== null || delivery.method === null)
    return [title, "# This request can't be sent again."].join('\n')
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
