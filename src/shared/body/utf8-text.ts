/** Bytes as the UTF-8 text that they are. */

/** The text, a byte order mark with it; null where the bytes are no UTF-8. `isCut`: they may end amid a character, which is left out. */
export function utf8Text(bytes: Uint8Array, isCut: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut })
  } catch {
    // Not an error here: such bytes are shown as bytes.
    return null
  }
}
