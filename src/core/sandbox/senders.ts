/** What sends the deliveries of each mode: both trust this machine's authority and the system's, each what its environment adds. */
import type { Mode } from '../../shared/model/delivery.ts'
import { adviseOnCa } from '../outgoing/wire/send-failure.ts'
import { createSender, type Sender } from '../outgoing/wire/sender.ts'
import { trustedAuthorities } from '../outgoing/wire/trusted-authorities.ts'

export interface SendersOptions {
  /** The authority of this machine, as PEM. */
  readonly caPem: string
  /** One that the environment of a mode trusts beside it; asked at each request, since it can change between two attempts. */
  trustedBy(mode: Mode): string | null
  monotonic(): number
}

export interface Senders {
  of(mode: Mode): Pick<Sender, 'send'>
  close(): Promise<void>
}

function caAdvice(mode: Mode): string {
  return `Trust its CA certificate ("countersign environments update sandbox-${mode} --ca FILE"), or use one from a CA that this computer trusts.`
}

export function createSenders({ caPem, trustedBy, monotonic }: SendersOptions): Senders {
  const byAuthority = new Map<string | null, Sender>()

  function senderOf(extra: string | null): Sender {
    const known = byAuthority.get(extra)
    const sender =
      known ?? createSender({ authorities: trustedAuthorities([caPem, ...(extra === null ? [] : [extra])]), monotonic })
    byAuthority.set(extra, sender)
    return sender
  }

  return {
    of: (mode) => ({
      async send(request) {
        const result = await senderOf(trustedBy(mode)).send(request)
        return result.failure === null ? result : { ...result, failure: adviseOnCa(result.failure, caAdvice(mode)) }
      },
    }),
    async close() {
      await Promise.all([...byAuthority.values()].map((sender) => sender.close()))
    },
  }
}
