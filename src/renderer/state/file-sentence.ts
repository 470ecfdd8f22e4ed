/** Why a file could not be chosen or read: what the browser says of it is for those who write pages. */
import { sentenceOf } from './slice-context.ts'

const refusals = new Set(['NotAllowedError', 'SecurityError'])

/** The sentence that an error of choosing or reading a file says to the user. */
export function fileSentenceOf(error: unknown): string {
  if (!(error instanceof DOMException)) return sentenceOf(error)
  return refusals.has(error.name)
    ? 'The browser blocked access to the file. Choose it again, or drop it on the page.'
    : 'Couldn’t read the file. It changed, was moved, or is a folder.'
}
