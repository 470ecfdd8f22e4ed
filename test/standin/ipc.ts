/** `ipcMain`, and the events it emits. Values have crossed as JSON: the contract carries nothing else. */
import { EventEmitter } from 'node:events'
import { strict } from './strict.ts'

const emitter = new EventEmitter()
export const ipcMain = strict('ipcMain', emitter)

/** Hands a message of a preload to the app. */
export function hearFromPreload(sender: object, senderFrame: object, channel: string, values: readonly unknown[]): void {
  emitter.emit(channel, { sender, senderFrame, frameId: 1, processId: 1 }, ...values)
}
