/**
 * A stand-in for the `electron` module over Chromium: it runs the built main process, preload and page where Electron's own
 * binary is not to be had. What it has is held to `electron.d.ts` by the compiler; what it lacks throws, or does not link.
 */
export { app } from './app.ts'
export { BrowserWindow } from './browser-window.ts'
export { ipcMain } from './ipc.ts'
export { protocol } from './protocol.ts'
export { session } from './session.ts'
export { dialog, Menu, nativeTheme, safeStorage, screen, shell } from './system.ts'
