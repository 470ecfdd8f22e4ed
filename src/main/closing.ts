/** What happens when the user closes the window: the app quits, or keeps capturing in the background. Asked once, then remembered. */
import type { MessageBoxOptions } from 'electron'
import type { OnClose } from '../shared/model/settings.ts'
import { shellPlatform } from './shell-menus.ts'

/** `close` closes the window, and the app ends with it; `ask` and `explain` show a message first. */
export type Closing = 'close' | 'hide' | 'ask' | 'explain'

export function closingOf({
  isRunning,
  isQuitting,
  onClose,
  hasBackground,
}: {
  /** The core is open. While it starts, or if it couldn't, there is nothing to keep running. */
  readonly isRunning: boolean
  /** The app is already quitting, so the window just closes. */
  readonly isQuitting: boolean
  readonly onClose: OnClose
  /** A tray, or the Dock: without one a hidden window couldn't be opened again. */
  readonly hasBackground: boolean
}): Closing {
  if (!isRunning || isQuitting || onClose === 'quit') return 'close'
  if (!hasBackground) return 'explain'
  return onClose === 'background' ? 'hide' : 'ask'
}

/** A message, and the choice behind each of its buttons; null: the window stays. */
export interface ClosingQuestion {
  readonly message: MessageBoxOptions
  readonly choices: readonly (Exclude<OnClose, 'ask'> | null)[]
}

export function closingQuestion(
  closing: 'ask' | 'explain',
  platform: NodeJS.Platform,
): ClosingQuestion {
  const mac = shellPlatform(platform) === 'darwin'
  if (closing === 'explain') {
    return {
      message: {
        type: 'info',
        message: 'Closing the window quits Countersign',
        detail: `This desktop shows no tray icons, so Countersign can't capture in the background. To capture without a window, run "countersign serve".`,
        buttons: ['Quit', 'Cancel'],
        defaultId: 0,
        cancelId: 1,
        noLink: true,
      },
      choices: ['quit', null],
    }
  }
  return {
    message: {
      type: 'question',
      message: 'Keep capturing deliveries?',
      detail: `Countersign can keep receiving after the window closes. Open it again from ${mac ? 'the menu bar or the Dock' : 'the tray'}. You can change this in Settings.`,
      buttons: ['Keep capturing', 'Quit', 'Cancel'],
      defaultId: 0,
      cancelId: 2,
      noLink: true,
    },
    choices: ['background', 'quit', null],
  }
}
