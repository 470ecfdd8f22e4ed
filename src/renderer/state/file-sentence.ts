/** Messages for files that couldn't be chosen or read. The browser's own messages are written for developers. */
import { sentenceOf } from './slice-context.ts'

const refusals = new Set(['NotAllowedError', 'SecurityError'])

/** The message to show for an error while choosing or reading a file. */
export function fileSentenceOf(error: unknown): string {
  if (!(error instanceof DOMException)) return sentenceOf(error)
  return refusals.has(error.name)
    ? 'The browser blocked access to the file. Choose it again, or drop it on the page.'
    : "Couldn't read the file. It changed, was moved, or is a folder."
}
