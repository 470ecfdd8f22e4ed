/** Connects each document separately to the core, so that no response reaches the wrong page. */
import type { IpcMain, IpcMainEvent, WebContents } from 'electron'
import type { NativeEventName, NativePayloadOf } from '../shared/contract/native.ts'
import { CHANNEL_FROM_CORE, CHANNEL_TO_CORE, type Transport } from '../shared/rpc/transport.ts'
import type { NativeMessage } from '../shared/rpc/messages.ts'
import { mayCallCore } from './page-limits.ts'

interface IpcOptions {
  /** URL of the page, ending in a slash. */
  readonly pageUrl: string
  readonly isOwnWindow: (contents: WebContents) => boolean
  /** Returns the function that ends the connection. */
  readonly connect: (transport: Transport) => () => void
  readonly onRefused: (url: string | null) => void
}

type Link = (text: string) => void

function openLink(
  contents: WebContents,
  connect: IpcOptions['connect'],
  onClosed: () => void,
): Link {
  const listeners = new Set<Link>()
  const disconnect = connect({
    isWindow: true,
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
  return (text) => {
    for (const listener of listeners) listener(text)
  }
}

/** Sender of events, which wait for the first message of a page that is still loading. */
export type SendToPage = <K extends NativeEventName>(event: K, payload: NativePayloadOf<K>) => void

export function setupIpc(ipc: IpcMain, options: IpcOptions): SendToPage {
  const links = new Map<WebContents, Link>()
  const waiting: string[] = []

  ipc.on(CHANNEL_TO_CORE, ({ sender: contents, senderFrame }: IpcMainEvent, text: unknown) => {
    const sender = {
      url: senderFrame?.url ?? null,
      isTopFrame: senderFrame !== null && senderFrame.parent === null,
      isOwnWindow: options.isOwnWindow(contents),
    }
    if (typeof text !== 'string' || !mayCallCore(sender, options.pageUrl)) {
      options.onRefused(sender.url)
      return
    }
    let link = links.get(contents)
    if (link === undefined) {
      link = openLink(contents, options.connect, () => links.delete(contents))
      links.set(contents, link)
      for (const early of waiting.splice(0)) contents.send(CHANNEL_FROM_CORE, early)
    }
    link(text)
  })
  return (event, payload) => {
    const text = JSON.stringify({ kind: 'native', event, payload } satisfies NativeMessage)
    if (links.size === 0) waiting.push(text)
    for (const contents of links.keys()) contents.send(CHANNEL_FROM_CORE, text)
  }
}
