// The preload of the stand-in's own test: probes of what a sandboxed one may not do.
const { contextBridge, ipcRenderer } = require('electron')

const attempt = (what) => {
  try {
    return String(what())
  } catch (error) {
    return error.message
  }
}

contextBridge.exposeInMainWorld('small', {
  probes: {
    requireFs: attempt(() => require('node:fs')),
    missing: attempt(() => ipcRenderer.invoke),
    platform: process.platform,
  },
})
