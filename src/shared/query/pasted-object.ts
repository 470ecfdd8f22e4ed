/** Objects of consoles and logs in several languages, such as {status: 'paid', ok: True,}. */

const TOKEN =
  /\s+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\p{L}_$][\p{L}\p{N}_$]*|-?\d[\d.eE+-]*|=>|[{}[\],:]/suy

const WORDS: Readonly<Record<string, string>> = {
  True: 'true',
  False: 'false',
  None: 'null',
  nil: 'null',
}

/** Text behind a name: `: 1`. */
const NAMED = /^\s*(?::|=>)/

/** Text behind a last comma: `}`. */
const CLOSED = /^\s*[}\]]/

function inDoubleQuotes(text: string): string {
  return `"${text.slice(1, -1).replaceAll(/\\'|(?<!\\)"/g, (sign) => (sign === '"' ? String.raw`\"` : "'"))}"`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Converts an object of a console or log to JSON, if possible. */
export function objectAsJson(pasted: string): string | null {
  if (isJson(pasted)) return pasted
  let json = ''
  for (let index = 0; index < pasted.length;) {
    TOKEN.lastIndex = index
    const token = TOKEN.exec(pasted)?.[0]
    if (token === undefined) return null
    index += token.length
    const rest = pasted.slice(index, index + 100)
    if (token.startsWith("'")) json += inDoubleQuotes(token)
    else if (token === '=>') json += ':'
    else if (token === ',') json += CLOSED.test(rest) ? '' : ','
    else if (/^[\p{L}_$]/u.test(token))
      json += NAMED.test(rest) ? `"${token}"` : (WORDS[token] ?? token)
    else json += token
  }
  return isJson(json) ? json : null
}
