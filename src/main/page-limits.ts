/** Limits the page in the window: navigation, links, permissions and calls to the core. */
import type { App, Session, Shell, WebContents } from 'electron'

/** Time after a click or key press in which a page may open a link, as in Chromium. */
export const ACTIVATION_MS = 5_000

/** Whether this is our own page again: a reload. */
export function mayNavigate(url: string, pageUrl: string): boolean {
  return (
    url === pageUrl ||
    url === `${pageUrl}index.html` ||
    url.startsWith(`${pageUrl}#`) ||
    url.startsWith(`${pageUrl}index.html#`)
  )
}

/** Whether a URL may open in the browser: other schemes start programs. */
export function mayOpenOutside(url: string, msSinceInput: number): boolean {
  if (msSinceInput > ACTIVATION_MS || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

const inputTypes = new Set(['mouseDown', 'mouseUp', 'rawKeyDown', 'keyDown', 'gestureTap'])

function lockContents(
  contents: WebContents,
  shell: Pick<Shell, 'openExternal'>,
  pageUrl: string,
): void {
  let lastInput = Number.NEGATIVE_INFINITY
  contents.on('input-event', (_event, input) => {
    if (inputTypes.has(input.type)) lastInput = performance.now()
  })
  contents.on('will-frame-navigate', (details) => {
    if (!details.isMainFrame || !mayNavigate(details.url, pageUrl)) details.preventDefault()
  })
  contents.on('will-redirect', (details) => details.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    if (mayOpenOutside(url, performance.now() - lastInput)) void shell.openExternal(url)
    return { action: 'deny' }
  })
}

export function setupNavigation(
  app: App,
  shell: Pick<Shell, 'openExternal'>,
  pageUrl: string,
): void {
  app.on('web-contents-created', (_event, contents) => lockContents(contents, shell, pageUrl))
}

export function mayUsePermission(
  permission: string,
  { isOwnPage }: { readonly isOwnPage: boolean },
): boolean {
  return isOwnPage && permission === 'clipboard-sanitized-write'
}

export function setupPermissions(session: Session, pageUrl: string): void {
  session.setPermissionRequestHandler((_contents, permission, callback, details) =>
    callback(
      mayUsePermission(permission, { isOwnPage: details.requestingUrl.startsWith(pageUrl) }),
    ),
  )
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) => {
    // Electron passes an origin here, with or without a trailing slash.
    const isOwnPage = `${requestingOrigin.replace(/\/$/, '')}/` === pageUrl
    return mayUsePermission(permission, { isOwnPage })
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
export function mayCallCore(sender: MessageSender, pageUrl: string): boolean {
  return (
    sender.isOwnWindow && sender.isTopFrame && sender.url !== null && sender.url.startsWith(pageUrl)
  )
}
