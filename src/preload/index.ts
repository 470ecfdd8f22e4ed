/**
 * Gives the page the functions for messages, and the host's capabilities. No logic, because this
 * runs beside untrusted content.
 */
import { contextBridge, ipcRenderer } from 'electron'
import type { Capabilities } from '../shared/contract/native.ts'
import {
  BRIDGE,
  CHANNEL_FROM_CORE,
  CHANNEL_TO_CORE,
  type Transport,
} from '../shared/rpc/transport.ts'

const capabilities: Capabilities = {
  showInFolder: true,
  insetTitleBar: process.platform === 'darwin',
  desktop: true,
}

const transport: Transport = {
  send(text) {
    ipcRenderer.send(CHANNEL_TO_CORE, text)
  },
  onMessage(listener) {
    const onText = (_event: unknown, text: string) => {
      listener(text)
    }
    ipcRenderer.on(CHANNEL_FROM_CORE, onText)
    return () => {
      ipcRenderer.off(CHANNEL_FROM_CORE, onText)
    }
  },
}

contextBridge.exposeInMainWorld(BRIDGE, {
  send: transport.send,
  onMessage: transport.onMessage,
  capabilities,
})
