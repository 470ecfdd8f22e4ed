/** Decodes bytes as UTF-8. */

/** The text, including a byte order mark; null if the bytes aren't UTF-8. `isCut`: an incomplete last character is left out. */
export function utf8Text(bytes: Uint8Array, isCut: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut })
  } catch {
    // Not an error: such bytes are shown as hex.
    return null
  }
}
