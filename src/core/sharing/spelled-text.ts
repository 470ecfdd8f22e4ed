/** Texts with escapes, whose characters are replaced while each keeps its spelling. */

/** Character or two of a text, and how they are spelled. */
interface SpelledPart {
  readonly text: string
  respell(text: string): string
}

/** Replaces a text, whose placeholder has as many characters, in its spelling. */
function replaceParts(
  parts: readonly SpelledPart[],
  replace: (text: string) => string,
): { readonly before: string; readonly after: string; readonly spelled: string } {
  const before = parts.map(({ text }) => text).join('')
  const after = replace(before)
  let at = 0
  const spelled = parts.map(({ text, respell }) => {
    const replaced = after.slice(at, at + text.length)
    at += text.length
    return respell(replaced)
  })
  return { before, after, spelled: spelled.join('') }
}

const asIs = (text: string) => text
const inCaseOf = (hex: string, like: string) => (/[A-F]/.test(like) ? hex.toUpperCase() : hex)

/** Replaces the text of a JSON string, given with its quotes. */
export function replaceInJson(raw: string, replace: (text: string) => string) {
  if (!raw.includes('\\')) {
    const before = raw.slice(1, -1)
    const after = replace(before)
    return { before, after, spelled: `"${after}"` }
  }
  const tokens = raw.slice(1, -1).match(/\\u[\da-f]{4}|\\.|[^\\]+/gis) ?? []
  const parts = tokens.map((token): SpelledPart => {
    if (!token.startsWith('\\')) return { text: token, respell: asIs }
    const text = JSON.parse(`"${token}"`) as string
    if (token[1] !== 'u') return { text, respell: () => token }
    return {
      text,
      respell(replaced) {
        const hex = replaced.charCodeAt(0).toString(16).padStart(4, '0')
        return replaced === text ? token : `\\u${inCaseOf(hex, token)}`
      },
    }
  })
  const replaced = replaceParts(parts, replace)
  return { ...replaced, spelled: `"${replaced.spelled}"` }
}

/**
 * Replaces the parts between separators.
 * @param separator - expression with one group around all of it
 */
export function replaceBetween(
  text: string,
  separator: RegExp,
  replace: (part: string) => string,
): string {
  return text
    .split(separator)
    .map((part, index) => (index % 2 === 1 ? part : replace(part)))
    .join('')
}

/** Replaces the text of a part of a URL, with its percent-encoded characters. */
export function replaceInUrl(part: string, replace: (text: string) => string): string {
  if (!part.includes('%')) return replace(part)
  const tokens = part.match(/(?:%[89a-f][\da-f])+|%[0-7][\da-f]|[^%]+|%/gi) ?? []
  const parts = tokens.flatMap((token): SpelledPart[] => {
    const text = decoded(token)
    if (text === null) return [{ text: '%', respell: () => token }]
    if (!token.startsWith('%') || token === '%') return [{ text: token, respell: asIs }]
    let at = 0
    return Array.from(text, (character) => {
      const spelled = token.slice(at, (at += 3 * Buffer.from(character).length))
      return {
        text: character,
        respell: (replaced) =>
          replaced === character ? spelled : percentEncoded(replaced, spelled),
      }
    })
  })
  return replaceParts(parts, replace).spelled
}

function percentEncoded(text: string, like: string): string {
  return [...Buffer.from(text)]
    .map((byte) => `%${inCaseOf(byte.toString(16).padStart(2, '0'), like)}`)
    .join('')
}

/** Returns the decoded text; null if it isn't UTF-8. */
function decoded(token: string): string | null {
  if (!/^(?:%[\da-f]{2})+$/i.test(token)) return token
  try {
    return decodeURIComponent(token)
  } catch {
    return null
  }
}
