/**
 * Strings that make a regular expression slow if it can be, made from the expression: the beginning
 * of a match, a repeated part, then something that doesn't match.
 */
type Node =
  | { readonly kind: 'characters'; readonly texts: readonly string[] }
  | { readonly kind: 'sequence' | 'choice'; readonly of: readonly Node[] }
  | { readonly kind: 'repeated'; readonly node: Node; readonly least: number }

export interface Attack {
  readonly prefix: string
  readonly pump: string
  readonly suffix: string
}

const KINDS = Array.from('aZfu0-_.:/"\'\\=<,; \t\r\n\0\u0080\u0100')
const SUFFIXES = ['', '\0', '\nx!\u0100']
const MOST_SAMPLES = 6

const CLASS_V = String.raw`\[(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\]\\])*\]`
const CLASS = String.raw`\[(?:\\.|[^\]\\])*\]`
const tokensOf = (pattern: string, flags: string) =>
  pattern.match(
    new RegExp(
      String.raw`\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\k<\w+>|\\.|${flags.includes('v') ? CLASS_V : CLASS}|\(\?(?:[:=!]|<[=!]|<\w+>)|(?:[*+?]|\{\d+(?:,\d*)?\})\??|.`,
      'gisu',
    ),
  ) ?? []

/** Returns the characters that a token of one character matches: those in the expression first. */
function matchedBy(token: string, flags: string, own: readonly string[]): string[] {
  const one = new RegExp(`^${token}$`, flags.replaceAll(/[gym]/g, ''))
  return [...new Set([...own, ...KINDS])].filter((character) => one.test(character))
}

function parsed(pattern: string, flags: string): Node {
  const tokens = tokensOf(pattern, flags)
  const own = [...new Set(pattern.replaceAll(/\\[a-zA-Z]/g, ''))]
  let at = 0
  const choice = (): Node => {
    const of = [sequence()]
    while (tokens[at] === '|') {
      at++
      of.push(sequence())
    }
    return of.length === 1 ? of[0]! : { kind: 'choice', of }
  }
  const atom = (token: string): Node => {
    if (token.startsWith('(')) {
      const inner = choice()
      at++
      return inner
    }
    if (/^(?:\^|\$|\\[bB])$/.test(token) || /^\\[1-9k]/.test(token))
      return { kind: 'characters', texts: [''] }
    return { kind: 'characters', texts: matchedBy(token, flags, own).slice(0, 8) }
  }
  const sequence = (): Node => {
    const of: Node[] = []
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') {
      const node = atom(tokens[at++]!)
      const [, sign, least] = /^(?:([*+?])|\{(\d+))/.exec(tokens[at] ?? '') ?? []
      const isRepeated = sign !== undefined || least !== undefined
      if (isRepeated) at++
      of.push(
        isRepeated
          ? {
              kind: 'repeated',
              node,
              least: least === undefined ? Number(sign === '+') : Number(least),
            }
          : node,
      )
    }
    return { kind: 'sequence', of }
  }
  return choice()
}

const distinct = (texts: readonly string[], most = MOST_SAMPLES) =>
  [...new Set(texts)].slice(0, most)

function samplesOf(node: Node): string[] {
  switch (node.kind) {
    case 'characters':
      return distinct(node.texts)
    case 'choice':
      return distinct(node.of.flatMap((one) => samplesOf(one).slice(0, 2)))
    case 'repeated': {
      const once = samplesOf(node.node).map((text) => text.repeat(Math.max(1, node.least)))
      return distinct(node.least === 0 ? [...once.slice(0, 4), ''] : once)
    }
    case 'sequence': {
      const each = node.of.map(samplesOf)
      return distinct(
        Array.from({ length: MOST_SAMPLES }, (_, index) =>
          each.map((texts) => texts[index] ?? texts.at(index % 2 === 0 ? -1 : 0) ?? '').join(''),
        ),
      )
    }
  }
}

function* pumpsIn(
  node: Node,
  prefixes: readonly string[],
): Generator<{ prefix: string; pump: string }> {
  for (const prefix of prefixes) if (prefix !== '') yield { prefix: '', pump: prefix }
  if (node.kind === 'choice') for (const one of node.of) yield* pumpsIn(one, prefixes)
  if (node.kind === 'sequence') {
    let before = prefixes
    for (const one of node.of) {
      yield* pumpsIn(one, before)
      const samples = samplesOf(one)
      before = distinct(before.flatMap((prefix) => samples.map((text) => prefix + text)))
    }
    for (const prefix of before) yield { prefix: '', pump: prefix }
  }
  if (node.kind === 'repeated') {
    const samples = samplesOf(node.node)
    const pumps = [
      ...samples,
      ...samples.slice(1).map((text) => samples[0] + text),
      samples.join(''),
    ]
    for (const pump of pumps) for (const prefix of ['', ...prefixes]) yield { prefix, pump }
    yield* pumpsIn(node.node, prefixes)
    yield* pumpsIn(
      node.node,
      distinct(prefixes.flatMap((prefix) => samples.map((text) => prefix + text))),
    )
  }
}

export function attacksOn({ source, flags }: RegExp): Attack[] {
  const all = new Map<string, Attack>()
  for (const { prefix, pump } of pumpsIn(parsed(source, flags), ['', '\0x']))
    if (pump !== '')
      for (const suffix of SUFFIXES)
        all.set(JSON.stringify([prefix, pump, suffix]), { prefix, pump, suffix })
  return [...all.values()]
}
