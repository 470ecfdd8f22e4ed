/**
 * A stand-in for the `electron` module over Chromium. `electron.d.ts` checks its members at compile
 * time; missing members throw, or fail to link.
 */
export { app } from './app.ts'
export { BrowserWindow } from './browser-window.ts'
export { ipcMain } from './ipc.ts'
export { protocol } from './protocol.ts'
export { net, session } from './session.ts'
export { Menu, nativeImage, Notification, powerMonitor, Tray } from './shell-parts.ts'
export { crashReporter, dialog, nativeTheme, screen, shell } from './system.ts'
