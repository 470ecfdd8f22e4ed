/** State shared by the parts of the stand-in: Chromium, and reports to the test about effects outside the page. */
import { startChromium, type Chromium } from './chromium.ts'

/** Messages to a test over the process's own channel (`process.send`). */
export type Report =
  | { readonly kind: 'endpoint'; readonly endpoint: string }
  | { readonly kind: 'openExternal'; readonly url: string }
  | { readonly kind: 'openPath'; readonly path: string }
  | { readonly kind: 'showItemInFolder'; readonly path: string }
  | { readonly kind: 'errorBox'; readonly title: string; readonly content: string }
  | { readonly kind: 'menu'; readonly labels: readonly string[] }
  | { readonly kind: 'preloadFailed'; readonly message: string }

export function report(message: Report): void {
  process.send?.(message)
  if (process.send === undefined || message.kind === 'errorBox' || message.kind === 'preloadFailed')
    process.stderr.write(`standin: ${JSON.stringify(message)}\n`)
}

let chromium: Promise<Chromium> | undefined
const lost: (() => void)[] = []

/** Starts Chromium on first use. */
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
