/**
 * Carries the contract between the window and the core. One connection a document: it begins with the document's first
 * message and ends when the window shows another one (a reload) or is gone, so that nothing is answered to the wrong page.
 */
import type { IpcMain, IpcMainEvent, WebContents } from 'electron'
import { CHANNEL_FROM_CORE, CHANNEL_TO_CORE, type Transport } from '../shared/rpc/transport.ts'
import { mayCallCore } from './page-limits.ts'

export interface IpcOptions {
  /** Address of the app's root, ending in a slash. */
  readonly home: string
  readonly isOwnWindow: (contents: WebContents) => boolean
  /** Serves the contract on one transport; returns the function that ends it. */
  readonly connect: (transport: Transport) => () => void
  /** Told of each message that was refused. */
  readonly onRefused: (url: string | null) => void
}

interface Link {
  readonly deliver: (text: string) => void
  readonly close: () => void
}

function openLink(contents: WebContents, connect: IpcOptions['connect'], onClosed: () => void): Link {
  const listeners = new Set<(text: string) => void>()
  const disconnect = connect({
    send(text) {
      if (!contents.isDestroyed()) contents.send(CHANNEL_FROM_CORE, text)
    },
    onMessage(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  })
  const close = () => {
    contents.off('did-navigate', close)
    contents.off('render-process-gone', close)
    contents.off('destroyed', close)
    disconnect()
    onClosed()
  }
  contents.on('did-navigate', close)
  contents.on('render-process-gone', close)
  contents.on('destroyed', close)
  return {
    deliver(text) {
      for (const listener of listeners) listener(text)
    },
    close,
  }
}

/** Begins to listen to the windows; returns the function that ends every connection. */
export function setupIpc(ipc: IpcMain, options: IpcOptions): () => void {
  const links = new Map<WebContents, Link>()

  const hear = (event: IpcMainEvent, text: unknown) => {
    const frame = event.senderFrame
    const sender = {
      url: frame?.url ?? null,
      isTopFrame: frame !== null && frame.parent === null,
      isOwnWindow: options.isOwnWindow(event.sender),
    }
    if (typeof text !== 'string' || !mayCallCore(sender, options.home)) {
      options.onRefused(sender.url)
      return
    }
    const contents = event.sender
    let link = links.get(contents)
    if (link === undefined) {
      link = openLink(contents, options.connect, () => links.delete(contents))
      links.set(contents, link)
    }
    link.deliver(text)
  }

  ipc.on(CHANNEL_TO_CORE, hear)
  return () => {
    ipc.off(CHANNEL_TO_CORE, hear)
    for (const link of links.values()) link.close()
  }
}
