/** Explains the signature of a stored delivery: finds its bytes, the hook and secret it is to be held against, and the mistake. */
import type { Delivery } from '../../shared/model/delivery.ts'
import type { SignatureReport } from '../../shared/model/signature.ts'
import type { RegisteredHook } from '../hooks/registry.ts'
import { createReport } from '../signature/report.ts'
import { matches } from '../signature/verify.ts'
import type { Services } from './services.ts'

/** Bodies are kept up to the receiver's limit; this reads any of them in one piece. */
const WHOLE = Number.MAX_SAFE_INTEGER

/** The hook that a delivery is held against: the one that it was matched to, else the first whose path it is. */
function hookFor({ registry }: Services, delivery: Delivery): RegisteredHook | null {
  if (delivery.hookId !== null) return registry.byId(delivery.hookId) ?? null
  return delivery.path === null ? null : (registry.hooksAt(delivery.path)[0] ?? null)
}

/** The secret that proves the delivery, or the present one: an old delivery may be signed with a previous one. */
function secretFor(
  { hooks }: Services,
  hook: RegisteredHook,
  body: Uint8Array,
  timestamp: string | null,
  received: string | null,
) {
  const secrets = hooks.secretsOf(hook.id)
  const proving =
    timestamp === null || received === null
      ? undefined
      : secrets.find(({ key }) => matches({ hookId: hook.id, url: hook.url, key }, body, timestamp, received))
  return proving ?? secrets[0] ?? null
}

export async function explainSignature(services: Services, id: string): Promise<SignatureReport> {
  const { store, registry, hooks, diagnosis } = services
  const delivery = await store.read('get', id)
  const { bytes: body } = await store.read('body', { seq: delivery.seq, offset: 0, length: WHOLE })
  const { signature: received, timestamp } = registry.signatureHeaders(delivery.headers)
  const hook = hookFor(services, delivery)
  const secret = hook === null ? null : secretFor(services, hook, body, timestamp, received)
  const isWhole = !delivery.truncated

  const explained =
    delivery.verdict === 'invalid' && hook !== null && secret !== null && timestamp !== null && received !== null && isWhole
      ? await diagnosis.diagnose({
          body,
          url: hook.url,
          timestamp,
          received,
          key: secret.key,
          otherSecrets: hooks
            .list()
            .filter((other) => other.id !== hook.id)
            .flatMap((other) =>
              hooks.secretsOf(other.id).map(({ key }) => ({ owner: `the hook for ${other.event} at ${other.url}`, key })),
            ),
          otherUrls: await localUrls(services, delivery),
        })
      : null

  return createReport({
    verdict: delivery.verdict,
    freshness: delivery.freshness,
    body,
    isWhole,
    timestamp,
    received,
    receivedAt: Date.parse(delivery.receivedAt),
    hook: hook === null || secret === null ? null : { id: hook.id, url: hook.url, key: secret.key, secretHint: secret.hint },
    diagnosis: explained,
  })
}

/** The addresses by which the sender may have known this receiver, where another one is registered. */
async function localUrls(services: Services, delivery: Delivery): Promise<string[]> {
  const { receiver } = await services.status()
  const path = delivery.path ?? '/'
  const hosts = delivery.headers.filter(([name]) => name.toLowerCase() === 'host').map(([, host]) => `https://${host}${path}`)
  return receiver.url === null ? hosts : [...hosts, receiver.url + path, receiver.url.replace('127.0.0.1', 'localhost') + path]
}
