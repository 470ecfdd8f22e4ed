/** Denies the page every power that Electron would grant by itself; writing text to the clipboard is the one that is needed. */
import type { Session } from 'electron'

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
