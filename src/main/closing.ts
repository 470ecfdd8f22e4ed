/** What happens when the user closes the window: the app quits, or keeps capturing in the background. Asked once, then remembered. */
import type { MessageBoxOptions } from 'electron'
import type { OnClose } from '../shared/model/settings.ts'

interface ClosingFacts {
  /** The core is open. While it starts, or if it couldn't, there is nothing to keep running. */
  readonly isRunning: boolean
  /** The app is already quitting, so the window just closes. */
  readonly isQuitting: boolean
  readonly onClose: OnClose
  /** A tray, or the Dock: without one a hidden window couldn't be opened again. */
  readonly hasBackground: boolean
}

/** `close` closes the window, and the app ends with it; `ask` and `explain` show a message first. */
export function closingOf({ isRunning, isQuitting, onClose, hasBackground }: ClosingFacts) {
  if (!isRunning || isQuitting || onClose === 'quit') return 'close'
  if (!hasBackground) return 'explain'
  return onClose === 'background' ? 'hide' : 'ask'
}

interface ClosingQuestion extends Pick<MessageBoxOptions, 'type' | 'message' | 'detail'> {
  /** What each button chooses, the last one cancels; null: the window stays. */
  readonly choices: Readonly<Record<string, Exclude<OnClose, 'ask'> | null>>
}

export function closingQuestion(
  closing: 'ask' | 'explain',
  platform: NodeJS.Platform,
): ClosingQuestion {
  const choices = { Quit: 'quit', Cancel: null } as const
  if (closing === 'explain')
    return {
      type: 'info',
      message: 'Closing the window quits Countersign',
      detail: `This desktop shows no tray icons, so Countersign can't capture in the background. To capture without a window, run "countersign serve".`,
      choices,
    }
  const place = platform === 'darwin' ? 'the menu bar or the Dock' : 'the tray'
  return {
    type: 'question',
    message: 'Keep capturing deliveries?',
    detail: `Countersign can keep receiving after the window closes. Open it again from ${place}. You can change this in Settings.`,
    choices: { 'Keep capturing': 'background', ...choices },
  }
}
