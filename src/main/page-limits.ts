/** Limits the page in the window: navigation, links, permissions and calls to the core. */
import type { App, Session, Shell, WebContents } from 'electron'

/** Milliseconds after a click or key press in which a page may open a link, as in Chromium. */
export const ACTIVATION_MS = 5_000

/** Whether this is our own page again (a reload); `home` ends in a slash. */
export function mayNavigate(url: string, home: string): boolean {
  return (
    url === home ||
    url === `${home}index.html` ||
    url.startsWith(`${home}#`) ||
    url.startsWith(`${home}index.html#`)
  )
}

/**
 * Whether a URL may open in the browser: other schemes start programs. `sinceInput` is in
 * milliseconds.
 */
export function mayOpenOutside(url: string, sinceInput: number): boolean {
  if (sinceInput > ACTIVATION_MS || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

const inputs = new Set(['mouseDown', 'mouseUp', 'rawKeyDown', 'keyDown', 'gestureTap'])

function lockContents(
  contents: WebContents,
  shell: Pick<Shell, 'openExternal'>,
  home: string,
): void {
  let lastInput = Number.NEGATIVE_INFINITY
  contents.on('input-event', (_event, input) => {
    if (inputs.has(input.type)) lastInput = performance.now()
  })
  contents.on('will-frame-navigate', (details) => {
    if (!details.isMainFrame || !mayNavigate(details.url, home)) details.preventDefault()
  })
  contents.on('will-redirect', (details) => details.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    if (mayOpenOutside(url, performance.now() - lastInput)) void shell.openExternal(url)
    return { action: 'deny' }
  })
}

export function setupNavigation(app: App, shell: Pick<Shell, 'openExternal'>, home: string): void {
  app.on('web-contents-created', (_event, contents) => lockContents(contents, shell, home))
}

export function mayUsePermission(permission: string, ownPage: boolean): boolean {
  return ownPage && permission === 'clipboard-sanitized-write'
}

export function setupPermissions(session: Session, home: string): void {
  session.setPermissionRequestHandler((_contents, permission, callback, details) =>
    callback(mayUsePermission(permission, details.requestingUrl.startsWith(home))),
  )
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) => {
    // Electron passes an origin here, with or without a trailing slash.
    return mayUsePermission(permission, `${requestingOrigin.replace(/\/$/, '')}/` === home)
  })
  session.setDevicePermissionHandler(() => false)
}

interface MessageSender {
  /** URL of the frame; null if the frame is gone. */
  readonly url: string | null
  readonly isTopFrame: boolean
  readonly isOwnWindow: boolean
}

/**
 * Whether a message comes from our page in the top frame of our window. Compares texts, because
 * Node parses the origin of unknown schemes as "null".
 */
export function mayCallCore(sender: MessageSender, home: string): boolean {
  return (
    sender.isOwnWindow && sender.isTopFrame && sender.url !== null && sender.url.startsWith(home)
  )
}
