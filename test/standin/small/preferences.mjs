// What the stand-in accepts as preferences of a window.
export const webPreferences = {
  preload: new URL('./preload.cjs', import.meta.url).pathname,
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webSecurity: true,
  spellcheck: false,
}
