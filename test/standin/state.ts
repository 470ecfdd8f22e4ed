/** State shared by the parts of the stand-in: Chromium, and reports to the test. */
import { startChromium, type Chromium } from './chromium.ts'

/** Messages to a test over the process's own channel (`process.send`). */
export type Report =
  | { readonly kind: 'endpoint'; readonly endpoint: string }
  | { readonly kind: 'openExternal'; readonly url: string }
  | { readonly kind: 'openPath'; readonly path: string }
  | { readonly kind: 'showItemInFolder'; readonly path: string }
  | { readonly kind: 'errorBox'; readonly title: string; readonly content: string }
  | { readonly kind: 'preloadFailed'; readonly message: string }
  | { readonly kind: 'permission'; readonly permission: string; readonly granted: boolean }
  | { readonly kind: 'secondStart' }
  /** A window was shown; `at` is in milliseconds since the epoch. */
  | { readonly kind: 'shown'; readonly at: number }
  | {
      readonly kind: 'answer'
      readonly id: number
      readonly value?: unknown
      readonly error?: string
    }

export interface WindowState {
  readonly id: number
  readonly url: string
  /** Whether the page has loaded, so that the app could show it. */
  readonly readyToShow: boolean
  readonly visible: boolean
  readonly focused: boolean
  readonly minimized: boolean
  readonly maximized: boolean
}

export function report(message: Report): void {
  process.send?.(message)
  if (process.send === undefined || message.kind === 'errorBox' || message.kind === 'preloadFailed')
    process.stderr.write(`standin: ${JSON.stringify(message)}\n`)
}

/** Requests that a test may make with `run.ask`, as the user, the system or a hostile page. */
const askable = new Map<string, (input: never) => unknown>()

export function answerTest(name: string, handler: (input: never) => unknown): void {
  askable.set(name, handler)
}

async function answer(id: number, name: string, input: unknown): Promise<void> {
  try {
    const handler = askable.get(name)
    if (handler === undefined)
      throw new Error(`The stand-in for electron can't be asked for "${name}".`)
    report({ kind: 'answer', id, value: await handler(input as never) })
  } catch (error) {
    report({ kind: 'answer', id, error: String(error) })
  }
}

process.on('message', (message: { id?: number; ask?: string; input?: unknown }) => {
  if (message.ask !== undefined && message.id !== undefined)
    void answer(message.id, message.ask, message.input)
})

let chromium: Promise<Chromium> | undefined
const lost: (() => void)[] = []

export function theChromium(): Promise<Chromium> {
  chromium ??= startChromium(() => {
    for (const listener of lost) listener()
  }).then((started) => {
    report({ kind: 'endpoint', endpoint: started.endpoint })
    return started
  })
  return chromium
}

/** Calls `listener` when Chromium exits on its own: Electron would crash completely. */
export function onChromiumLost(listener: () => void): void {
  lost.push(listener)
}
