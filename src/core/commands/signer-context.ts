/** Gathers values a signer may have used by mistake: other stored secrets, URLs and times. */
import { contentEncodings } from '../../shared/body/encoding.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { SavedHandler } from '../../shared/model/handler.ts'
import { type Hook, isDeletedHook } from '../../shared/model/hook.ts'
import { unlessRefused } from '../base/async.ts'
import type { RegisteredHook } from '../hooks/registry.ts'
import { decompressBody } from '../signature/diagnosis/decompress-body.ts'
import type {
  KnownSecret,
  KnownUrl,
  KnownTimestamp,
} from '../signature/diagnosis/diagnosis-input.ts'
import { secretKey } from '../signature/sign.ts'
import type { SignatureServices } from './services.ts'

/** Header value that may be a time: ten or more digits, or a date. */
const LIKE_A_TIME =
  /^\s*(?:\d{10,19}(?:\.\d+)?|\d{4}-\d\d-\d\d[T ].{5,30}|[A-Z][a-z]{2}, \d.{10,30})\s*$/

/**
 * Maximum number of other hooks' URLs to try: few share the path, and a thousand would leave no
 * time for other checks.
 */
const MAX_URLS = 40

/**
 * Gathers what the signer may have used instead of a hook's secret, URL and timestamp.
 * @param isPossible - whether the signer may have mistaken another hook for the right one
 */
export async function gatherSignerContext(
  services: SignatureServices,
  delivery: Delivery,
  body: Uint8Array,
  {
    handlers,
    isPossible,
  }: {
    readonly handlers: readonly SavedHandler[]
    readonly isPossible: (hook: Hook) => boolean
  },
) {
  const isShared = delivery.origin === 'shared'
  const others = services.hooks
    .list()
    .filter((hook) => services.registry.byId(hook.id)?.isShared === isShared && isPossible(hook))
  const keys = await apiKeys(services)
  const local = await localUrls(services, delivery)
  const otherTimestamps = otherTimes(delivery)
  const otherBodies = await decompressBody(body, contentEncodings(delivery.headers))
  return ({ hook, url }: { readonly hook: RegisteredHook | null; readonly url: string }) => ({
    otherSecrets: [...hookSecrets(services, hook, others), ...keys],
    otherUrls: [
      ...storedUrl(hook, url),
      ...local,
      ...handlerUrls(delivery, handlers),
      ...hookUrls(hook, others),
    ],
    otherTimestamps,
    otherBodies,
  })
}

function hookSecrets(
  { hooks }: SignatureServices,
  hook: RegisteredHook | null,
  others: readonly Hook[],
): KnownSecret[] {
  const own = (hook === null ? [] : hooks.secretsOf(hook.id)).map(
    ({ key }, index): KnownSecret => ({
      kind: index === 0 ? 'stored' : 'previous',
      owner: 'this hook',
      key,
    }),
  )
  const ofOthers = others.flatMap((other): KnownSecret[] => {
    if (other.id === hook?.id) return []
    const isDeleted = isDeletedHook(other)
    const kind = isDeleted
      ? 'deleted-hook'
      : hook === null || other.environment === hook.environment
        ? 'other-hook'
        : 'other-environment'
    return hooks.secretsOf(other.id).map(({ key }) => ({
      kind,
      owner: `the ${isDeleted ? 'deleted ' : ''}${other.event} hook at ${other.url}`,
      key,
    }))
  })
  return [...own, ...ofOthers]
}

/** Returns the hook's own URL, if another one is tried in its place. */
function storedUrl(hook: RegisteredHook | null, url: string): KnownUrl[] {
  return hook === null || hook.url === url ? [] : [{ kind: 'stored', url: hook.url }]
}

async function apiKeys({ environments }: SignatureServices): Promise<KnownSecret[]> {
  const secrets: KnownSecret[] = []
  for (const environment of environments.all()) {
    const key = await unlessRefused(environments.openKey(environment))
    const what = environment.auth === 'bearer' ? 'client secret' : 'API key'
    if (key !== null)
      secrets.push({
        kind: 'api-key',
        owner: `the ${what} of environment ${environment.name}`,
        key: secretKey(key),
      })
  }
  return secrets
}

/** Resolves with the URLs under which the sender may know this receiver. */
async function localUrls({ status }: SignatureServices, delivery: Delivery): Promise<KnownUrl[]> {
  const { receiver } = await status()
  const path = delivery.path ?? '/'
  const hosts = delivery.headers
    .filter(([name]) => ['host', 'x-forwarded-host'].includes(name.toLowerCase()))
    .map(([, host]) => `https://${host}${path}`)
  const own =
    receiver.url === null
      ? []
      : [receiver.url + path, receiver.url.replace('127.0.0.1', 'localhost') + path]
  return [...hosts, ...own].map((url) => ({ kind: 'local', url }))
}

/** Returns URLs of the user's handlers: saved ones, and the latest targets. */
function handlerUrls(
  { handler, lastReplay }: Delivery,
  handlers: readonly SavedHandler[],
): KnownUrl[] {
  const targets = [handler, lastReplay].flatMap((sent) => (sent === null ? [] : [sent.target]))
  const urls = new Set([...targets, ...handlers.map(({ url }) => url)])
  return [...urls]
    .slice(0, MAX_URLS)
    .flatMap((url) => [
      url,
      url.replace('//127.0.0.1', '//localhost'),
      url.replace('//localhost', '//127.0.0.1'),
    ])
    .map((url) => ({ kind: 'handler', url }))
}

function hookUrls(hook: RegisteredHook | null, others: readonly Hook[]): KnownUrl[] {
  const urls = new Set(others.map(({ url }) => url))
  if (hook !== null) urls.delete(hook.url)
  return [...urls].slice(-MAX_URLS).map((url) => ({ kind: 'other-hook', url }))
}

function otherTimes({ headers, receivedAt }: Delivery): KnownTimestamp[] {
  const inHeaders = headers
    .filter(([, value]) => LIKE_A_TIME.test(value))
    .map(([name, value]): KnownTimestamp => {
      const isDate = name.toLowerCase() === 'date'
      return {
        kind: isDate ? 'date-header' : 'other-header',
        text: value,
        where: `the ${name.toLowerCase()} header`,
      }
    })
  return [...inHeaders, { kind: 'receipt', text: receivedAt, where: 'the receipt time' }]
}
