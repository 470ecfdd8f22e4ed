/**
 * The contract through the desktop app: built preload, IPC and sender policy, over the fake
 * `electron`.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { GREETING, type FromRelay, type ToRelay } from '../standin/relay/messages.ts'
import { runStandin } from '../standin/run.ts'
import type { Transport } from '../../src/shared/rpc/transport.ts'
import type { Wire, Wires } from './wires.ts'

const main = fileURLToPath(new URL('../standin/relay/main.ts', import.meta.url))
const preload = fileURLToPath(new URL('../../out/preload/index.cjs', import.meta.url))

/**
 * Creates a transport to the other side.
 * @param hear Called with arriving messages.
 */
function createEnd(send: (text: string) => void): {
  transport: Transport
  hear: (text: string) => void
} {
  const listeners = new Set<(text: string) => void>()
  return {
    transport: {
      send,
      onMessage(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    hear(text) {
      for (const listener of listeners) listener(text)
    },
  }
}

// Sent as text, so that these Node tests need no DOM types.
const say = (page: Page, text: string) => page.evaluate(`countersign.send(${JSON.stringify(text)})`)

interface Window {
  readonly page: Page
  /** Called with the window's messages. */
  hear: (text: string) => void
}

/** Gives each wire its own document: in a reloaded window, or in a new one. */
export async function ipcWires(): Promise<Wires> {
  if (!existsSync(preload)) throw new Error('The preload is not built: run npm run build first.')
  const run = await runStandin(main, [])
  const left: Window[] = []
  const hears = new Map<number, (text: string) => void>()
  const joins = new Map<number, () => void>()
  let last = 0
  const tell = (message: ToRelay) => {
    run.tell(message)
  }
  run.process.on('message', (message: FromRelay | { readonly kind: 'other' }) => {
    if (message.kind === 'heard') hears.get(message.wire)?.(message.text)
    else if (message.kind === 'joined') joins.get(message.wire)?.()
  })

  const openWindow = async (): Promise<Window> => {
    const opened = run.page.context().waitForEvent('page')
    tell({ kind: 'open' })
    const window: Window = { page: await opened, hear: () => undefined }
    await window.page.waitForURL('https://countersign.app.test/')
    await window.page.exposeFunction('heardByTest', (text: string) => {
      window.hear(text)
    })
    return window
  }

  const open = async (): Promise<Wire> => {
    const wire = ++last
    const window = left.pop() ?? (await openWindow())
    const { page } = window
    const core = createEnd((text) => {
      tell({ kind: 'text', wire, text })
    })
    // Messages in flight are lost with the document, as in Electron.
    const caller = createEnd((text) => void say(page, text).catch(() => undefined))
    hears.set(wire, core.hear)
    window.hear = caller.hear
    await page.evaluate('void countersign.onMessage((text) => { heardByTest(text) })')
    const joined = new Promise<void>((resolve) => joins.set(wire, resolve))
    await say(page, `${GREETING}${wire}`)
    await joined
    return {
      caller: caller.transport,
      core: core.transport,
      async close() {
        await page.reload()
        left.push(window)
      },
    }
  }

  return {
    open,
    async close() {
      await run.close()
    },
  }
}
