/** `ipcMain` and its events. Values are passed as JSON, because the contract has no others. */
import { EventEmitter } from 'node:events'
import { openWindows } from './app.ts'
import { answerTest } from './state.ts'
import { strict } from './strict.ts'

const emitter = new EventEmitter()
export const ipcMain = strict('ipcMain', emitter)

/** Passes a preload's message to the app. `senderFrame` is null once the frame has gone. */
export function hearFromPreload(
  sender: object,
  senderFrame: object | null,
  channel: string,
  values: readonly unknown[],
): void {
  emitter.emit(channel, { sender, senderFrame, frameId: 1, processId: 1 }, ...values)
}

answerTest('ipc.channels', () => emitter.eventNames().map(String))

/** A forged message with its sender, as from a page that has taken over its process. */
export interface Forged {
  readonly channel: string
  readonly text: string
  /** Whether the sender is the app's window; else it belongs to no window. */
  readonly fromOwnWindow: boolean
  /** Frame that sends; null if it has gone. */
  readonly frame: { readonly url: string; readonly isTop: boolean } | null
}

/** Whether the app parsed the message or sent something back before it returned. */
export interface ForgedOutcome {
  readonly parsed: boolean
  readonly sent: number
}

answerTest('ipc.forge', ({ channel, text, fromOwnWindow, frame }: Forged): ForgedOutcome => {
  const [window] = openWindows as Set<{ readonly webContents: object; close(): void }>
  if (window === undefined) throw new Error('There is no window.')
  let sent = 0
  const stranger = strict(
    'webContents',
    Object.assign(new EventEmitter(), {
      isDestroyed: () => false,
      send: () => sent++,
      getURL: () => frame?.url ?? '',
    }),
  )
  const top = strict('frame', { url: frame?.url ?? '', parent: null })
  const senderFrame =
    frame === null || frame.isTop ? top : strict('frame', { url: frame.url, parent: top, top })
  let parsed = false
  const parse = JSON.parse
  JSON.parse = (input: string, reviver?: Parameters<typeof parse>[1]) => {
    if (input === text) parsed = true
    return parse(input, reviver) as unknown
  }
  try {
    hearFromPreload(
      fromOwnWindow ? window.webContents : stranger,
      frame === null ? null : senderFrame,
      channel,
      [text],
    )
  } finally {
    JSON.parse = parse
  }
  return { parsed, sent }
})
