/** The URL that a send is really signed over: told in the window as it is used for signing, so it stands in one place. */
import type { Tamper } from '../model/send.ts'

/** `url`: what it is signed over where nothing is wrong on purpose. Of the kinds of tampering one alone changes it (docs/replay.md). */
export function signedUrlOf(url: string, tamper: Tamper | null): string {
  return tamper === 'url' ? `${url}${url.includes('?') ? '&' : '?'}other=1` : url
}
