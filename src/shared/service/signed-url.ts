/** The URL that a send actually signs, shared by the signer and the window's display. */
import type { Tamper } from '../model/send.ts'

/** `url`: the URL signed without tampering. Only one kind of tampering changes it (docs/replay.md). */
export function signedUrlOf(url: string, tamper: Tamper | null): string {
  return tamper === 'url' ? `${url}${url.includes('?') ? '&' : '?'}other=1` : url
}
