// A minimal main process for the stand-in's own test: echoes the page's messages with the URL of their sender.
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
} from 'electron'
import { webPreferences } from './preferences.mjs'

const home = 'app://small/'
const page =
  '<!doctype html><title>small</title><script src="page.js"></script><p id="said"></p><a id="web" href="https://example.com/" target="_blank">web</a>'
const files = {
  [home]: ['text/html', page],
  [`${home}page.js`]: [
    'text/javascript',
    'document.title = "ran"; new Worker("worker.js").onmessage = (e) => { document.title = e.data }',
  ],
  [`${home}worker.js`]: ['text/javascript', 'postMessage("worker ran")'],
  [`${home}child`]: ['text/html', '<!doctype html><title>child</title>'],
}
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
  safeStorage: attempt(() => safeStorage.encryptStringAsync('a').catch((error) => error.message)),
  keyStore: attempt(() => safeStorage.getSelectedStorageBackend()),
  sandbox: attempt(() => app.enableSandbox()),
  ready: attempt(() => app.isReady()),
}
protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
])
app.setPath('userData', process.env.SMALL_DATA)
if (!app.requestSingleInstanceLock({ from: 'second' })) app.exit(0)
app.on('second-instance', (_event, argv, folder, data) =>
  tell('secondInstance', { argv: argv.slice(-5), folder, data }),
)
app.on('web-contents-created', (_event, contents) => {
  contents.on('will-frame-navigate', (details) => {
    tell('willNavigate', {
      url: details.url,
      isMainFrame: details.isMainFrame,
      isTop: details.frame?.parent === null,
    })
    if (details.url !== `${home}child`) details.preventDefault()
  })
  contents.on('will-redirect', (details) => {
    tell('willRedirect', { url: details.url })
    if (details.url !== `${home}child`) details.preventDefault()
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.on('render-process-gone', (_gone, { reason }) => {
    tell('gone', { reason, crashed: contents.isCrashed() })
    contents.reload()
  })
  contents.on('did-finish-load', () => tell('loaded', { url: contents.getURL() }))
  contents.setWindowOpenHandler(({ url }) => {
    if (url === `${home}child`) return { action: 'allow' }
    void shell.openExternal(url)
    return { action: 'deny' }
  })
})
early.safeStorage = await early.safeStorage
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
protocol.handle('app', (request) => {
  const [type, body] = files[request.url] ?? ['text/plain', null]
  const headers = {
    'content-type': type,
    'content-security-policy':
      "default-src 'none'; script-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'",
  }
  return body === null
    ? new Response('none', { status: 404, headers })
    : new Response(body, { headers })
})
ipcMain.on('up', (event, text) => {
  event.sender.send('down', `${text} from ${event.senderFrame.url}`)
})
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
for (const event of ['focus', 'blur', 'minimize', 'restore'])
  window.on(event, () => tell('window', { event }))
app.on('second-instance', () => {
  window.focus()
  tell('focused', { whileMinimized: window.isFocused() })
  window.restore()
})
void window.loadURL(home)
