/**
 * What the page in the window may do: where it navigates, what it opens, which permissions it has, and whether it may call the
 * core.
 */
import type { App, Session, Shell, WebContents } from 'electron'

/** How long after a click or key press an address may still be opened, in milliseconds: that of Chromium's own activation. */
export const ACTIVATION_MS = 5_000

/** May a frame of the window load this address? Only its own page again (a reload). `home` ends in a slash. */
export function mayNavigate(url: string, home: string): boolean {
  return url === home || url === `${home}index.html` || url.startsWith(`${home}#`) || url.startsWith(`${home}index.html#`)
}

/**
 * May this address be handed to the system's browser? Only http and https: other schemes start programs.
 * `sinceInput` is the time since the user's last click or key press, in milliseconds.
 */
export function mayOpenOutside(url: string, sinceInput: number): boolean {
  if (sinceInput > ACTIVATION_MS || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

// Applies the navigation policy to every web contents of the app.

const inputs = new Set(['mouseDown', 'mouseUp', 'rawKeyDown', 'keyDown', 'gestureTap'])

function lockContents(contents: WebContents, shell: Pick<Shell, 'openExternal'>, home: string, now: () => number): void {
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
export function setupNavigation(app: App, shell: Pick<Shell, 'openExternal'>, home: string, now: () => number): void {
  app.on('web-contents-created', (_event, contents) => {
    lockContents(contents, shell, home, now)
  })
}

// The page gets no permission except writing text to the clipboard.

/** May the page have this? `ownPage` is whether the asking document is the app's own. */
export function mayHave(permission: string, ownPage: boolean): boolean {
  return ownPage && permission === 'clipboard-sanitized-write'
}

/** `home` is the address of the app's root, ending in a slash. */
export function setupPermissions(session: Session, home: string): void {
  session.setPermissionRequestHandler((_contents, permission, callback, details) => {
    callback(mayHave(permission, details.requestingUrl.startsWith(home)))
  })
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) => {
    // Here Electron tells an origin, with or without the slash at its end.
    return mayHave(permission, `${requestingOrigin.replace(/\/$/, '')}/` === home)
  })
  session.setDevicePermissionHandler(() => false)
}

// The one answer to "may this frame call the core?": the top frame of our own window, showing our own page. Everything that
// listens to the window's messages asks here.

/** What is known of the frame that a message came from. */
interface MessageSender {
  /** Address of the frame's document; null where the frame is gone already. */
  readonly url: string | null
  readonly isTopFrame: boolean
  readonly isOwnWindow: boolean
}

/**
 * `home` is the address of the app's root, ending in a slash. Addresses are compared as text: the origin of a scheme that
 * Node does not know is "null" for all of them, so parsed origins would make every such page one of ours.
 */
export function mayCallCore(sender: MessageSender, home: string): boolean {
  return sender.isOwnWindow && sender.isTopFrame && sender.url !== null && sender.url.startsWith(home)
}
