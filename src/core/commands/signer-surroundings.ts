/** What the signer of a delivery may have used by mistake: other stored secrets, other URLs, other times. */
import { AppError } from '../../shared/contract/errors.ts'
import { contentEncodings } from '../../shared/body/encoding.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { SavedHandler } from '../../shared/model/handler.ts'
import type { RegisteredHook } from '../hooks/registry.ts'
import { decompressed } from '../signature/diagnosis/body-departures.ts'
import type {
  DiagnosisInput,
  KnownSecret,
  KnownTimestamp,
  KnownUrl,
} from '../signature/diagnosis/departure.ts'
import { secretKey } from '../signature/sign.ts'
import type { Services } from './services.ts'

type SignerSurroundings = Pick<
  DiagnosisInput,
  'otherSecrets' | 'otherUrls' | 'otherTimestamps' | 'otherBodies'
>

/** A header value that may be a time: ten or more digits, or a date. */
const LIKE_A_TIME =
  /^\s*(?:\d{10,19}(?:\.\d+)?|\d{4}-\d\d-\d\d[T ].{5,30}|[A-Z][a-z]{2}, \d.{10,30})\s*$/
/**
 * Maximum number of other hooks' URLs to try: few share the path, and trying a thousand hooks would leave no time for other checks.
 */
const MOST_URLS = 40

/** What the signer may have used besides a hook to verify against, if any, and the assumed registered URL. */
export type SurroundingsOf = (standard: {
  readonly hook: RegisteredHook | null
  readonly url: string
}) => SignerSurroundings

/**
 * `isKnown`: which other hooks the signer may have mistaken for the right one; those that are compared themselves aren't among them.
 */
export async function surroundingsOf(
  services: Pick<Services, 'hooks' | 'environments' | 'status'>,
  delivery: Delivery,
  body: Uint8Array,
  {
    handlers,
    isKnown,
  }: {
    readonly handlers: readonly SavedHandler[]
    readonly isKnown: (hook: Hook) => boolean
  },
): Promise<SurroundingsOf> {
  const others = services.hooks.list().filter(isKnown)
  const keys = await apiKeys(services)
  const local = await localUrls(services, delivery)
  const otherTimestamps = otherTimes(delivery)
  const otherBodies = await decompressed(body, contentEncodings(delivery.headers))
  return ({ hook, url }) => ({
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
  { hooks }: Pick<Services, 'hooks'>,
  hook: RegisteredHook | null,
  others: readonly Hook[],
): KnownSecret[] {
  const own = (hook === null ? [] : hooks.secretsOf(hook.id)).map(
    ({ key }, place): KnownSecret => ({
      kind: place === 0 ? 'stored' : 'previous',
      owner: 'this hook',
      key,
    }),
  )
  const ofOthers = others.flatMap((other): KnownSecret[] => {
    if (other.id === hook?.id) return []
    const kind =
      hook === null || other.environment === hook.environment ? 'other-hook' : 'other-environment'
    return hooks.secretsOf(other.id).map(({ key }) => ({
      kind,
      owner: `the ${other.event} hook at ${other.url}`,
      key,
    }))
  })
  return [...own, ...ofOthers]
}

/** The hook's own URL, if another one is tried in its place. */
function storedUrl(hook: RegisteredHook | null, url: string): KnownUrl[] {
  return hook === null || hook.url === url ? [] : [{ kind: 'stored', url: hook.url }]
}

async function apiKeys({ environments }: Pick<Services, 'environments'>): Promise<KnownSecret[]> {
  const found: KnownSecret[] = []
  for (const environment of environments.all()) {
    try {
      const key = await environments.openKey(environment)
      const what = environment.auth === 'bearer' ? 'client secret' : 'API key'
      if (key !== null)
        found.push({
          kind: 'api-key',
          owner: `the ${what} of environment ${environment.name}`,
          key: secretKey(key),
        })
    } catch (error) {
      // A key that this host can't decrypt can't be tried.
      if (!(error instanceof AppError)) throw error
    }
  }
  return found
}

/** The URLs under which the sender may know this receiver, if another one is registered. */
async function localUrls(
  { status }: Pick<Services, 'status'>,
  delivery: Delivery,
): Promise<KnownUrl[]> {
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

/** URLs of your handlers: saved ones, and the latest targets. */
function handlerUrls(
  { handler, lastReplay }: Delivery,
  handlers: readonly SavedHandler[],
): KnownUrl[] {
  const targets = [handler, lastReplay].flatMap((sent) => (sent === null ? [] : [sent.target]))
  const urls = new Set([...targets, ...handlers.map(({ url }) => url)])
  return [...urls]
    .slice(0, MOST_URLS)
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
  return [...urls].slice(-MOST_URLS).map((url) => ({ kind: 'other-hook', url }))
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
