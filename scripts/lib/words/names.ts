/** Names in code: words that only this project used, with the ordinary one that replaced each. They can't come back. */
import { parseSync } from 'vite'

/** A part of a name in lower case with dashes, and what to write instead. */
const privateWords: readonly (readonly [find: RegExp, say: string])[] = [
  [/\bdepart(?:s|ed|ures?)?\b/, 'mismatch'],
  [/\bstrays?\b/, 'unexpected delivery'],
  [/\b(?:ride|riding)\b/, 'parent, carrier'],
  [/\bgive-way\b/, 'pause'],
  [/\bkick(?:s|ed)?\b/, 'proceed'],
  [/\bin-hand\b/, 'concerned'],
  [/\bstanding\b/, 'first response'],
  [/\b(?:told|tells?-of)\b/, 'reported, printed'],
  [/\blook(?:s|ed|ing)?\b/, 'status, style, check'],
  [/\bcame\b/, 'received, arrived'],
]

const ANY = new RegExp(
  privateWords
    .map(([{ source }]) => source.replaceAll(String.raw`\b`, '').replace('-', '-?'))
    .join('|'),
  'i',
)

interface Name {
  readonly line: number
  readonly text: string
}

/** `leaveRide` and `LEAVE_RIDE` as `leave-ride`. */
const inDashes = (name: string) =>
  name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '-')
    .replaceAll('_', '-')
    .toLowerCase()

/** Fields of a flow run, which the contract fixes. */
const isField = (path: string, name: string) =>
  /^_?strays$/.test(name) || (name === 'told' && /flow|model-values/.test(path))

/** What to write instead of a name in a file; null for an ordinary one. */
export function ordinaryName(path: string, name: string): string | null {
  if (isField(path, name)) return null
  const text = inDashes(name)
  return privateWords.find(([find]) => find.test(text))?.[1] ?? null
}

/** The identifiers of a source, and the names in its path (line 0). */
export function namesOfSource(path: string, source: string): Name[] {
  const ofPath = path.split(/[/.]/).map((text) => ({ line: 0, text }))
  if (!ANY.test(source)) return ofPath
  const names: Name[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, name, start }: { type?: unknown; name?: unknown; start?: number } = value
    if (typeof name === 'string' && typeof type === 'string' && type.endsWith('Identifier'))
      names.push({ line: source.slice(0, start).split('\n').length, text: name })
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(parseSync(path, source).program)
  return [...ofPath, ...names]
}
