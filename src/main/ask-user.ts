/** Message boxes of the desktop app. */
import type { BrowserWindow, Dialog, MessageBoxOptions } from 'electron'

export type MessageBoxes = Pick<Dialog, 'showMessageBox'>

/** Resolves with the number of the chosen button; the first is the default. */
export async function askUser(
  dialog: MessageBoxes,
  owner: BrowserWindow | null,
  question: MessageBoxOptions,
): Promise<number> {
  const box = { defaultId: 0, cancelId: 0, noLink: true, ...question }
  const answer = owner === null ? dialog.showMessageBox(box) : dialog.showMessageBox(owner, box)
  return (await answer).response
}
