/**
 * Connects the window to the core. A connection belongs to one document: it starts with its first message and ends on navigation,
 * reload or close, so that no response reaches the wrong page.
 */
import type { IpcMain, IpcMainEvent, WebContents } from 'electron'
import type { NativeEventName, NativePayloadOf } from '../shared/contract/native.ts'
import {
  CHANNEL_FROM_CORE,
  CHANNEL_TO_CORE,
  type NativeMessage,
  type Transport,
} from '../shared/rpc/transport.ts'
import { mayCallCore } from './page-limits.ts'

export interface IpcOptions {
  /** The app's root URL, ending in a slash. */
  readonly home: string
  readonly isOwnWindow: (contents: WebContents) => boolean
  /** Serves the contract on a transport; returns a function that stops it. */
  readonly connect: (transport: Transport) => () => void
  /** Called for each rejected message. */
  readonly onRefused: (url: string | null) => void
}

interface Link {
  readonly deliver: (text: string) => void
  readonly close: () => void
}

function openLink(
  contents: WebContents,
  connect: IpcOptions['connect'],
  onClosed: () => void,
): Link {
  const listeners = new Set<(text: string) => void>()
  const disconnect = connect({
    send(text) {
      if (!contents.isDestroyed()) contents.send(CHANNEL_FROM_CORE, text)
    },
    onMessage(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
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

export interface Ipc {
  /** Sends an event of the host itself. A page that is still loading gets it with its first message. */
  tell<K extends NativeEventName>(
    contents: WebContents,
    event: K,
    payload: NativePayloadOf<K>,
  ): void
  /** Closes every connection. */
  close(): void
}

/** Starts listening to windows. */
export function setupIpc(ipc: IpcMain, options: IpcOptions): Ipc {
  const links = new Map<WebContents, Link>()
  /** Events for pages that haven't connected yet. */
  const waiting = new WeakMap<WebContents, string[]>()

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
      for (const early of waiting.get(contents) ?? []) contents.send(CHANNEL_FROM_CORE, early)
      waiting.delete(contents)
    }
    link.deliver(text)
  }

  ipc.on(CHANNEL_TO_CORE, hear)
  return {
    tell(contents, event, payload) {
      const text = JSON.stringify({ kind: 'native', event, payload } satisfies NativeMessage)
      if (links.has(contents)) contents.send(CHANNEL_FROM_CORE, text)
      else waiting.set(contents, [...(waiting.get(contents) ?? []), text])
    },
    close() {
      ipc.off(CHANNEL_TO_CORE, hear)
      for (const link of links.values()) link.close()
    },
  }
}
