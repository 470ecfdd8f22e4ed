// A minimal main process for the stand-in's own test: reports what the stand-in asks it and refuses
// it.
import { app, BrowserWindow, dialog, protocol, screen, session } from 'electron'
import { webPreferences } from './preferences.mjs'

const home = 'app://small/'
const attempt = (what) => {
  try {
    return what() ?? 'allowed'
  } catch (error) {
    return error.message
  }
}
const tell = (kind, rest) => process.send({ kind, ...rest })

const early = {
  window: attempt(() => new BrowserWindow({ webPreferences })),
  session: attempt(() => session.defaultSession),
  protocol: attempt(() => protocol.handle('app', () => {})),
  screen: attempt(() => screen.getAllDisplays),
  sandbox: attempt(() => app.enableSandbox()),
  ready: attempt(() => app.isReady()),
}
protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
])
await app.whenReady()
session.defaultSession.setPermissionRequestHandler(
  (_contents, permission, answer, { isMainFrame, requestingUrl, mediaTypes }) => {
    tell('asked', { permission, isMainFrame, requestingUrl, mediaTypes })
    answer(['geolocation', 'clipboard-sanitized-write'].includes(permission))
  },
)
session.defaultSession.setPermissionCheckHandler(
  (_contents, permission) => permission === 'clipboard-sanitized-write',
)
protocol.handle(
  'app',
  ({ url }) =>
    new Response(`<!doctype html><title>${url === home ? 'small' : 'child'}</title>`, {
      headers: { 'content-type': 'text/html' },
    }),
)
const window = new BrowserWindow({ width: 1000, height: 700, webPreferences })
const hidden = new BrowserWindow({ show: false, webPreferences })
hidden.destroy()
const unsafe = {
  sandbox: false,
  contextIsolation: false,
  nodeIntegration: true,
  nodeIntegrationInWorker: true,
  nodeIntegrationInSubFrames: true,
  webSecurity: false,
  webviewTag: true,
  allowRunningInsecureContent: true,
  experimentalFeatures: true,
  enableBlinkFeatures: 'Any',
  navigateOnDragDrop: true,
  plugins: true,
  partition: 'other',
  preload: undefined,
  spellcheck: true,
  unheardOf: 1,
}
tell('refusals', {
  early,
  late: {
    privileges: attempt(() => protocol.registerSchemesAsPrivileged([])),
    sandbox: attempt(() => app.enableSandbox()),
  },
  member: attempt(() => app.getLocale),
  destroyed: attempt(() => hidden.show()),
  destroyedContents: attempt(() => hidden.webContents),
  box: attempt(() => dialog.showErrorBox('title', 'content')),
  accepted: Object.entries(unsafe)
    .map(([key, value]) => [
      key,
      attempt(() => new BrowserWindow({ webPreferences: { ...webPreferences, [key]: value } })),
    ])
    .filter(([key, outcome]) => !String(outcome).includes(`refuses webPreferences { ${key}: `))
    .map(([key]) => key),
})
app.on('window-all-closed', () => app.quit())
app.on('before-quit', () => {
  setImmediate(() =>
    tell('whileQuitting', { window: attempt(() => new BrowserWindow({ webPreferences })) }),
  )
})
app.on('will-quit', () => tell('willQuit'))
void window.loadURL(home)
