/**
 * A main process that opens a window for each connection and relays messages to the test, which is
 * in the place of the core.
 */
import { fileURLToPath } from 'node:url'
import { app, BrowserWindow, ipcMain, protocol, session } from 'electron'
import { APP_URL, registerAppScheme, setupAppProtocol } from '../../../src/main/app-protocol.ts'
import { setupIpc } from '../../../src/main/ipc-transport.ts'
import { setupPermissions } from '../../../src/main/page-limits.ts'
import { GREETING, type FromRelay, type ToRelay } from './messages.ts'

const folder = fileURLToPath(new URL('./page', import.meta.url))
const preload = fileURLToPath(new URL('../../../out/preload/index.cjs', import.meta.url))
const wires = new Map<number, (text: string) => void>()
const tell = (message: FromRelay) => process.send?.(message)

function openWindow(): void {
  const window = new BrowserWindow({
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      spellcheck: false,
    },
  })
  void window.loadURL(APP_URL)
}

registerAppScheme()
await app.whenReady()
setupPermissions(session.defaultSession, APP_URL)
await setupAppProtocol(protocol, folder)
setupIpc(ipcMain, {
  pageUrl: APP_URL,
  isOwnWindow: () => true,
  connect(transport) {
    let wire = 0
    transport.onMessage((text) => {
      if (wire !== 0) tell({ kind: 'heard', wire, text })
      else if (text.startsWith(GREETING)) {
        wire = Number(text.slice(GREETING.length))
        wires.set(wire, (answer) => {
          transport.send(answer)
        })
        tell({ kind: 'joined', wire })
      }
    })
    return () => wires.delete(wire)
  },
  onRefused: (url) => {
    throw new Error(`A text from ${url} was refused.`)
  },
})
process.on('message', (message: ToRelay) => {
  if (message.kind === 'open') openWindow()
  else wires.get(message.wire)?.(message.text)
})
// The first window only keeps the app open while connections open and close.
openWindow()
