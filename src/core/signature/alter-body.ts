/** Characters to change: in an id (`"id":"0`), another value (`:"a`, `[-5`), or any text. */
const CHANGEABLE_PATTERNS = [
  /("id"\s*:\s*")([0-9a-f])/,
  /([:[]\s*"|[:[,]\s*-?(?=\d))([0-9a-z])/i,
  /()([0-9a-z])/i,
]

/** Changes one character of a value; JSON stays valid. */
export function alterBody(body: Uint8Array): Uint8Array {
  // Byte by byte, because the body may not be UTF-8.
  const text = Buffer.from(body).toString('latin1')
  const pattern = CHANGEABLE_PATTERNS.find((candidate) => candidate.test(text))
  const alteredText =
    pattern === undefined
      ? `${text} `
      : text.replace(
          pattern,
          (_, before: string, old: string) => before + (old === '1' ? '2' : '1'),
        )
  return Buffer.from(alteredText, 'latin1')
}
