// Preferences of a window that the stand-in accepts.
export const webPreferences = {
  preload: new URL('./preload.cjs', import.meta.url).pathname,
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webSecurity: true,
  spellcheck: false,
}
