// A main process that loads its page into a window and forgets to show it.
import { app, BrowserWindow, protocol } from 'electron'
import { webPreferences } from './preferences.mjs'

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
])
await app.whenReady()
protocol.handle(
  'app',
  () =>
    new Response('<!doctype html><title>hidden</title>', {
      headers: { 'content-type': 'text/html' },
    }),
)
void new BrowserWindow({ show: false, webPreferences }).loadURL('app://small/')
