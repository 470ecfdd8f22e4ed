// A minimal main process for the stand-in's own test: echoes the page's messages with the URL of their sender.
import { app, BrowserWindow, ipcMain, protocol, session, shell } from 'electron'

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
}

protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } }])
app.on('web-contents-created', (_event, contents) => {
  contents.on('will-navigate', (details) => {
    process.send({ kind: 'willNavigate', url: details.url })
    details.preventDefault()
  })
  contents.setWindowOpenHandler(({ url }) => {
    void shell.openExternal(url)
    return { action: 'deny' }
  })
})
await app.whenReady()
session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
session.defaultSession.setPermissionCheckHandler((_contents, permission) => permission === 'clipboard-sanitized-write')
protocol.handle('app', (request) => {
  const [type, body] = files[request.url] ?? ['text/plain', null]
  const headers = {
    'content-type': type,
    'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'; worker-src 'self'",
  }
  return body === null ? new Response('none', { status: 404, headers }) : new Response(body, { headers })
})
ipcMain.on('up', (event, text) => {
  event.sender.send('down', `${text} from ${event.senderFrame.url}`)
})
const attempt = (what) => {
  try {
    return what()
  } catch (error) {
    return error.message
  }
}
process.send({
  kind: 'refusals',
  member: attempt(() => app.getLocale),
  window: attempt(() => new BrowserWindow({ webPreferences: { sandbox: false } })),
})
app.on('window-all-closed', () => app.quit())
app.on('will-quit', () => process.send({ kind: 'willQuit' }))
const window = new BrowserWindow({
  width: 1000,
  height: 700,
  webPreferences: {
    preload: new URL('./preload.cjs', import.meta.url).pathname,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
  },
})
void window.loadURL(home)
