/**
 * What sends requests of a person's making (replay, forward, handler check, shrinker): a sender whose every connection is held to
 * the policy of targets, and that trusts this machine's authority beside the system's.
 */
import type { Clock } from '../../base/deps.ts'
import type { SendRequest, SendResult } from './exchange.ts'
import { createGuardedConnector } from './guarded-connector.ts'
import { adviseOnCa, adviseOnScheme } from './send-failure.ts'
import { CONNECT_LIMIT_MS, createSender, type Sender } from './sender.ts'
import { readAllowedHosts, type Resolve, type TargetPolicy } from './target-policy.ts'
import { trustedAuthorities } from './trusted-authorities.ts'

export interface GuardDeps {
  readonly clock: Clock
  readonly resolve: Resolve
  /** The authority of this machine, as PEM; null where it has none yet. */
  readonly caPem: string | null
  /** Ports that are this program's own: nothing is sent there. */
  ownPorts(): ReadonlySet<number>
}

export interface GuardedSenderOptions {
  readonly policy: TargetPolicy
  /**
   * An authority that the target's certificate has to verify with, on loopback too; null takes any certificate there. Left out:
   * the same, and whoever starts the request has no way to give one.
   */
  readonly targetCa?: string | null
  /** Whether connections are kept for the next request. */
  readonly keepAlive: boolean
  /** At most so many connections to one address; left out: as many as there are requests. */
  readonly connections?: number
  /** Hears at each connection what is the matter with a certificate that was taken all the same; null where nothing is. */
  onCertificate?(problem: string | null): void
}

export interface Guard {
  /** The policy of targets with these hosts agreed to. Throws `INVALID_INPUT` for what is no host. */
  policyFor(allowHosts: readonly string[]): TargetPolicy
  createSender(options: GuardedSenderOptions): Sender
}

/** As long as nothing has answered, a connection that is dropped may be one of the wrong scheme. */
function withSchemeAdvice({ send, close }: Sender): Sender {
  let hasAnswered = false
  async function sendFirst(request: SendRequest): Promise<SendResult> {
    const result = await send(request)
    hasAnswered ||= result.status !== null
    return hasAnswered || result.failure === null ? result : { ...result, failure: adviseOnScheme(result.failure, request.url) }
  }
  return { send: (request) => (hasAnswered ? send(request) : sendFirst(request)), close }
}

/** Where the CA certificate is given, or that the given one is the wrong one. */
function withCaAdvice({ send, close }: Sender, targetCa: string | null | undefined): Sender {
  if (targetCa === undefined) return { send, close }
  const given = 'with --target-ca, or below the URL in the window'
  const advice =
    targetCa === null
      ? `Give the CA certificate that signed it (${given}), or use one from a CA that this computer trusts.`
      : `The given CA certificate didn't sign it. Give the one that did (${given}).`
  return {
    async send(request) {
      const result = await send(request)
      return result.failure === null ? result : { ...result, failure: adviseOnCa(result.failure, advice) }
    },
    close,
  }
}

export function createGuard({ clock, resolve, caPem, ownPorts }: GuardDeps): Guard {
  return {
    policyFor: (allowHosts) => ({ allowedHosts: readAllowedHosts(allowHosts), ownPorts, resolve }),
    createSender({ policy, targetCa, keepAlive, connections, onCertificate }) {
      const extra = [caPem, targetCa ?? null].filter((pem) => pem !== null)
      const sender = createSender({
        authorities: [],
        monotonic: () => clock.monotonic(),
        keepAlive,
        ...(connections === undefined ? {} : { connections }),
        connector: createGuardedConnector({
          policy,
          authorities: () => trustedAuthorities(extra),
          verifyLoopback: typeof targetCa === 'string',
          timeoutMs: CONNECT_LIMIT_MS,
          onCertificate: onCertificate ?? (() => undefined),
        }),
      })
      return withCaAdvice(withSchemeAdvice(sender), targetCa)
    },
  }
}
