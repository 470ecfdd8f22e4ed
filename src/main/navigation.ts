/** Holds every web contents of the app to the navigation policy, whoever made it. */
import { type App, shell, type WebContents } from 'electron'
import { mayNavigate, mayOpenOutside } from './navigation-policy.ts'

const inputs = new Set(['mouseDown', 'mouseUp', 'rawKeyDown', 'keyDown', 'gestureTap'])

function lockContents(contents: WebContents, home: string, now: () => number): void {
  let lastInput = Number.NEGATIVE_INFINITY
  contents.on('input-event', (_event, input) => {
    if (inputs.has(input.type)) lastInput = now()
  })
  contents.on('will-frame-navigate', (details) => {
    if (!details.isMainFrame || !mayNavigate(details.url, home)) details.preventDefault()
  })
  contents.on('will-redirect', (details) => {
    details.preventDefault()
  })
  contents.on('will-attach-webview', (event) => {
    event.preventDefault()
  })
  contents.setWindowOpenHandler(({ url }) => {
    if (mayOpenOutside(url, now() - lastInput)) void shell.openExternal(url)
    return { action: 'deny' }
  })
}

/** `home` is the address of the app's root; `now` a monotonic clock in milliseconds. */
export function setupNavigation(app: App, home: string, now: () => number): void {
  app.on('web-contents-created', (_event, contents) => {
    lockContents(contents, home, now)
  })
}
