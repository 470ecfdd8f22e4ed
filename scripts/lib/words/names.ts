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

/** `leaveRide` and `LEAVE_RIDE` as `leave-ride`. */
const inDashes = (name: string) =>
  name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '-')
    .replaceAll('_', '-')
    .toLowerCase()

/** Fields of a flow run, which the contract fixes. */
const isField = (path: string, name: string) =>
  /^_?strays$/.test(name) || (name === 'told' && /flow|model-values/.test(path))

/** The private names among the identifiers of a source, and in its path (line 0), each with the word to write. */
export function privateNamesIn(path: string, source: string) {
  const names: { line: number; text: string; instead: string }[] = []
  const visitName = (text: string, start: number | null) => {
    const found = isField(path, text) ? undefined : inDashes(text)
    const instead = privateWords.find(([find]) => found !== undefined && find.test(found))?.[1]
    if (instead === undefined) return
    const line = start === null ? 0 : source.slice(0, start).split('\n').length
    names.push({ line, text, instead })
  }
  for (const text of path.split(/[/.]/)) visitName(text, null)
  if (!ANY.test(source)) return names
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, name, start }: { type?: unknown; name?: unknown; start?: number } = value
    if (typeof name === 'string' && typeof type === 'string' && type.endsWith('Identifier'))
      visitName(name, start ?? null)
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(parseSync(path, source).program)
  return names
}
