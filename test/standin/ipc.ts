/** `ipcMain` and its events. Values are passed as JSON, because the contract has no others. */
import { EventEmitter } from 'node:events'
import { strict } from './strict.ts'

const emitter = new EventEmitter()
export const ipcMain = strict('ipcMain', emitter)

/** Passes a preload's message to the app. */
export function hearFromPreload(sender: object, senderFrame: object, channel: string, values: readonly unknown[]): void {
  emitter.emit(channel, { sender, senderFrame, frameId: 1, processId: 1 }, ...values)
}
