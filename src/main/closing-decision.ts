/** Decision whether closing the window quits the app or keeps capturing. */
import type { MessageBoxOptions } from 'electron'
import type { OnClose } from '../shared/model/settings.ts'

interface ClosingFacts {
  readonly isRunning: boolean
  readonly isQuitting: boolean
  readonly onClose: OnClose
  /** Whether a tray can open the window again. */
  readonly hasBackground: boolean
}

export function decideClosing({ isRunning, isQuitting, onClose, hasBackground }: ClosingFacts) {
  if (!isRunning || isQuitting || onClose === 'quit') return 'close'
  if (!hasBackground) return 'explain'
  return onClose === 'background' ? 'hide' : 'ask'
}

interface ClosingQuestion extends Pick<MessageBoxOptions, 'type' | 'message' | 'detail'> {
  /** Choices by button; null keeps the window. The last button cancels. */
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
