// The preload of the stand-in's own test: what the project's preload uses, and a few probes of what a sandboxed one may not do.
const { contextBridge, ipcRenderer } = require('electron')

const attempt = (what) => {
  try {
    return String(what())
  } catch (error) {
    return error.message
  }
}

contextBridge.exposeInMainWorld('small', {
  send: (text) => ipcRenderer.send('up', text),
  onMessage(listener) {
    const hear = (_event, text) => listener(text)
    ipcRenderer.on('down', hear)
    return () => ipcRenderer.off('down', hear)
  },
  probes: {
    requireFs: attempt(() => require('node:fs')),
    missing: attempt(() => ipcRenderer.invoke),
    platform: process.platform,
  },
})
