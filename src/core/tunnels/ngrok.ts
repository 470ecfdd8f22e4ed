/**
 * ngrok tunnels through its Node package, which the user installs into the data folder, so it isn't shipped and both hosts find the
 * same one. Runs in this process and ends with it.
 */
import { realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { z } from 'zod'
import { toldNothing, TunnelRefused, type OpenTunnel, type ProviderAdapter } from './provider.ts'

const PACKAGE = '@ngrok/ngrok'

/** The part of the package that is used. */
const packageSchema = z.object({
  forward: z.custom<Forward>((value) => typeof value === 'function'),
})
type Forward = (config: Readonly<Record<string, unknown>>) => Promise<unknown>

interface Listener {
  url(): unknown
  close(): Promise<unknown>
}

/** Kept as one object, because its functions need it as `this`. */
const listenerSchema = z.custom<Listener>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    ['url', 'close'].every(
      (name) => typeof (value as Record<string, unknown>)[name] === 'function',
    ),
)

/** The folder that the user installs packages into. */
export function pluginFolder(dataFolder: string): string {
  return join(dataFolder, 'plugins')
}

/** A path quoted for a shell. */
function shellWord(path: string): string {
  return /^[\w./:@%+=\\-]+$/.test(path) ? path : `"${path}"`
}

/** Whether macOS refused to load a binary: the signed app may only load what its developer or Apple signed. */
function isSignatureRefused(error: unknown): boolean {
  // The package wraps the system's error, once for each of its binaries.
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (
      /code signature|different Team IDs|library load (?:denied|disallowed) by system policy/i.test(
        cause.message,
      )
    )
      return true
  return false
}

function load(path: string): Forward {
  try {
    const parsed = packageSchema.parse(createRequire(path)(path))
    return (config) => parsed.forward(config)
  } catch (error) {
    if (isSignatureRefused(error))
      throw new TunnelRefused(
        `macOS doesn't let this app load ${PACKAGE}, because another developer signed it. Quit the app and run "countersign serve", or use cloudflared.`,
      )
    throw new TunnelRefused(
      `Couldn't load ${PACKAGE} at ${path}: ${(error as Error).message}. Reinstall it for this system.`,
    )
  }
}

/** ngrok's errors have codes. Account and token errors don't go away on a retry. */
function explain(error: unknown, token: string): Error {
  const text = (error instanceof Error ? error.message : String(error))
    .replaceAll(token, '…')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const said = `ngrok says: ${text.slice(0, 500)}`
  return /ERR_NGROK_(?:1\d\d|3\d\d|4\d\d|15\d\d|80\d\d)\b|authentication failed|authtoken/i.test(
    text,
  )
    ? new TunnelRefused(
        `${said}${text.endsWith('.') ? '' : '.'} Check the token and account, then start it again.`,
      )
    : new Error(said)
}

export function createNgrok({ dataFolder }: { readonly dataFolder: string }): ProviderAdapter {
  const folder = pluginFolder(dataFolder)
  return {
    name: 'ngrok',
    needsToken: true,
    install: `npm install --prefix ${shellWord(folder)} ${PACKAGE}`,
    page: 'https://dashboard.ngrok.com/get-started/your-authtoken',
    async find() {
      try {
        const real = await realpath(folder)
        const path = createRequire(join(real, 'package.json')).resolve(PACKAGE)
        // A package in a parent folder isn't the one installed for this.
        return path.startsWith(real + sep) ? path : null
      } catch {
        return null
      }
    },
    async open(path, target, { domain, token, signal, limitMs }): Promise<OpenTunnel> {
      if (token === null) throw new TunnelRefused('ngrok needs an auth token. Save one first.')
      const forward = load(path)
      const disturbed: ((problem: string | null) => void)[] = []
      const opening = forward({
        addr: target.url,
        authtoken: token,
        ...(domain === null ? {} : { domain }),
        // The receiver's certificate is signed by this computer's CA, and the connection doesn't leave this computer.
        verify_upstream_tls: false,
        on_status_change: (...said: unknown[]) => {
          const isMended = said[0] === 'connected'
          const problem = `ngrok lost its connection${typeof said[1] === 'string' ? ` (${said[1].replaceAll(token, '…')})` : ''} and is reconnecting.`
          for (const listener of disturbed) listener(isMended ? null : problem)
        },
      }).then(
        (listener) => listenerSchema.parse(listener),
        (error: unknown) => {
          throw explain(error, token)
        },
      )
      const late = new Promise<never>((_, reject) => {
        const giveUp = () => {
          reject(new Error(toldNothing('ngrok', limitMs)))
        }
        if (signal.aborted) giveUp()
        else signal.addEventListener('abort', giveUp, { once: true })
      })
      const listener = await Promise.race([opening, late]).catch((error: unknown) => {
        // A tunnel that opens after closing is closed immediately.
        opening.then((opened) => opened.close()).catch(() => undefined)
        throw error
      })
      let end: (reason: string) => void = () => undefined
      const ended = new Promise<string>((resolve) => {
        end = resolve
      })
      const close = async () => {
        await listener.close().catch(() => undefined)
        end('ngrok closed the tunnel.')
      }
      const url = String(listener.url())
      if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
        await close()
        throw new TunnelRefused(`ngrok reported ${url}, which isn't an HTTPS URL.`)
      }
      return {
        url: url.replace(/\/+$/, ''),
        ended,
        onDisturbed: (hear) => disturbed.push(hear),
        close,
      }
    },
  }
}
