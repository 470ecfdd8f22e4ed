/** What the signer of a delivery may have used by mistake: other stored secrets, other URLs, other times. */
import { AppError } from '../../shared/contract/errors.ts'
import { contentEncodings } from '../../shared/body/encoding.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
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

/** `hook`: the hook to verify against, if any; `url`: the assumed registered URL. */
export async function surroundingsOf(
  services: Pick<Services, 'hooks' | 'environments' | 'status'>,
  delivery: Delivery,
  body: Uint8Array,
  {
    hook,
    url,
    handlers,
  }: {
    readonly hook: RegisteredHook | null
    readonly url: string
    readonly handlers: readonly SavedHandler[]
  },
): Promise<SignerSurroundings> {
  return {
    otherSecrets: [...hookSecrets(services, hook), ...(await apiKeys(services))],
    otherUrls: [
      ...storedUrl(hook, url),
      ...(await localUrls(services, delivery)),
      ...handlerUrls(delivery, handlers),
      ...hookUrls(services, hook),
    ],
    otherTimestamps: otherTimes(delivery),
    otherBodies: await decompressed(body, contentEncodings(delivery.headers)),
  }
}

function hookSecrets(
  { hooks }: Pick<Services, 'hooks'>,
  hook: RegisteredHook | null,
): KnownSecret[] {
  return hooks.list().flatMap((other): KnownSecret[] => {
    const secrets = hooks.secretsOf(other.id)
    if (other.id === hook?.id)
      return secrets.map(({ key }, place) => ({
        kind: place === 0 ? 'stored' : 'previous',
        owner: 'this hook',
        key,
      }))
    const kind =
      hook === null || other.environment === hook.environment ? 'other-hook' : 'other-environment'
    return secrets.map(({ key }) => ({
      kind,
      owner: `the ${other.event} hook at ${other.url}`,
      key,
    }))
  })
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

function hookUrls({ hooks }: Pick<Services, 'hooks'>, hook: RegisteredHook | null): KnownUrl[] {
  const urls = new Set(hooks.list().map(({ url }) => url))
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
